// The local terminal: raw keys in, a shell's output in all rows but the last, a status bar in the last.
// Knows neither drills nor connections.

import type { ReadStream, WriteStream } from 'node:tty'

export interface ScreenEvents {
  readonly keys: (chunk: Buffer) => void
  readonly resized: () => void
  /** The bar's content, as wide as the screen. */
  readonly bar: (columns: number) => string
}

const save = '\x1b7'
const restore = '\x1b8'
const mainScreen = '\x1b[?1049l'
const alternateScreen = '\x1b[?1049h'
/** Cursor, paste and mouse modes, and the keypad, as a shell expects to find them. */
const plainModes = '\x1b[0m\x1b[?25h\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1l\x1b>'
/** Index and cursor up: scrolls if the cursor is in the last row, so that this row becomes free; the column stays. */
const makeRoom = '\x1bD\x1b[A'

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: escape sequences are what this looks for
/** Output that ends inside an escape sequence or a character: nothing may be drawn in between. */
const unfinished =
  /\x1b(?:[ -/]*|\[[0-?]*[ -/]*|[P\]X^_][^\x07\x1b]*\x1b?)$|(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})$/
/** Sequences that may have erased the bar or reset the margins. */
const wipes = /\x1b(?:c|\[(?:[0-3]?J|[\d;]*r|!p|\?(?:1049|1047|47)[hl]))/
/** Sequences that move the cursor to an absolute row. */
const placements = /\x1b\[(\d+)((?:;\d*)?[Hfd])/g
const switches = /\x1b\[\?(?:1049|1047|47)([hl])/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: escape sequences are what this looks for
const tailBytes = 256
const heldBytes = 4 * 1024 * 1024
const endings = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Keeps the cursor out of the row of the bar, where a program may send it that does not know the current size. */
const confined = (chunk: Buffer, rows: number): Buffer => {
  const text = chunk.toString('latin1')
  const inside = text.replace(placements, (whole, row: string, rest: string) => (Number(row) > rows ? `\x1b[${rows}${rest}` : whole))
  return inside === text ? chunk : Buffer.from(inside, 'latin1')
}

export const createScreen = (input: ReadStream, out: WriteStream, events: ScreenEvents) => {
  let isActive = false
  let isAlternate = false
  let tail = ''
  /** Output that is held back while a page is shown in front of a full-screen program. */
  let held: Buffer[] | undefined
  let keyPressed: (() => void) | undefined

  const size = () => ({ columns: out.columns || 80, rows: Math.max(1, (out.rows || 24) - 1) })

  const draw = (withMargins = false) => {
    if (!isActive || unfinished.test(tail)) return
    const { columns, rows } = size()
    out.write(`${save}${withMargins ? `\x1b[1;${rows}r` : ''}\x1b[${rows + 1};1H${events.bar(columns)}\x1b[0m${restore}`)
  }

  const output = (chunk: Buffer) => {
    if (held !== undefined) {
      held.push(chunk)
      while (held.reduce((sum, part) => sum + part.length, 0) > heldBytes) held.shift()
      return
    }
    out.write(confined(chunk, size().rows))
    const recent = tail + chunk.toString('latin1')
    isAlternate = [...recent.matchAll(switches)].map((match) => match[1] === 'h').at(-1) ?? isAlternate
    tail = recent.slice(-tailBytes)
    if (wipes.test(recent)) draw(true)
  }

  const onKeys = (chunk: Buffer) => {
    if (keyPressed === undefined) events.keys(chunk)
    else keyPressed()
  }

  const onResize = () => {
    out.write(`${save}\x1b[r${restore}${makeRoom}${isAlternate ? '' : '\x1b[J'}`)
    draw(true)
    events.resized()
  }

  /** Resets what a program has left behind: the alternate screen, and modes. */
  const settle = () => {
    out.write(`${isAlternate ? mainScreen : ''}${plainModes}`)
    isAlternate = false
    tail = ''
  }

  const leave = () => {
    if (!isActive) return
    isActive = false
    const { rows } = size()
    settle()
    out.write(`${save}\x1b[r\x1b[${rows + 1};1H\x1b[2K${restore}\r\n`)
    input.setRawMode(false)
    input.off('data', onKeys).pause()
    out.off('resize', onResize)
    process.off('exit', leave).off('uncaughtExceptionMonitor', leave)
    for (const signal of Object.keys(endings) as (keyof typeof endings)[]) process.off(signal, onSignal)
  }

  const onSignal = (signal: keyof typeof endings) => {
    leave()
    process.exit(endings[signal])
  }

  return {
    /** The size of the shell: without the row of the bar. */
    size,
    output,
    settle,
    /** Redraws the bar. */
    refresh: () => draw(),

    enter: () => {
      isActive = true
      input.setRawMode(true)
      input.on('data', onKeys).resume()
      out.on('resize', onResize)
      process.on('exit', leave).on('uncaughtExceptionMonitor', leave)
      for (const signal of Object.keys(endings) as (keyof typeof endings)[]) process.on(signal, onSignal)
      out.write(makeRoom)
      draw(true)
    },

    leave,

    /** Prints above the prompt. In front of a full-screen program, the text is shown until a key is pressed. */
    print: async (text: string): Promise<void> => {
      const lines = `\x1b[0m\r\n${text.replaceAll('\n', '\r\n')}\r\n`
      if (!isAlternate) {
        out.write(lines)
        return draw(true)
      }
      held = []
      out.write(mainScreen)
      draw(true)
      out.write(`${lines}\x1b[2mPress a key to go back.\x1b[0m\r\n`)
      await new Promise<void>((resolve) => {
        keyPressed = resolve
      })
      keyPressed = undefined
      if (isAlternate) out.write(alternateScreen)
      const missed = held
      held = undefined
      for (const chunk of missed) output(chunk)
      draw(true)
    },
  }
}

export type Screen = ReturnType<typeof createScreen>
