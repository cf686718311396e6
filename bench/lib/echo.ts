// The time from a keystroke to its echo: by a terminal of `docker exec`, by the service's WebSocket, and in the page.

import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'
import type { Page } from 'playwright-core'
import { basePath } from '../../src/contract/api-version.ts'
import { terminalPath } from '../../src/contract/terminal.ts'
import { openDockerTerminal } from './docker-terminal.ts'

const lineLength = 50
const pauseMs = 20
const emptyLine = '\x15'
const prompt = '# '

export interface Echo {
  /** The milliseconds of so many keystrokes, one after the other. */
  measure(keystrokes: number): Promise<number[]>
  close(): void
}

/** `write` sends keys; the returned `heard` takes what comes back. */
const createEcho = (write: (keys: string) => void, close: () => void) => {
  let seen = ''
  let wake: () => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const sees = async (what: string) => {
    while (!seen.includes(what)) {
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        fail = reject
      })
    }
    seen = ''
  }
  const echo: Echo = {
    measure: async (keystrokes) => {
      const taken: number[] = []
      for (let index = 0; index < keystrokes; index += 1) {
        const started = performance.now()
        write('x')
        await sees('x')
        taken.push(performance.now() - started)
        if (index % lineLength === lineLength - 1) write(emptyLine)
        await delay(pauseMs)
      }
      return taken
    },
    close,
  }
  return {
    echo,
    ready: () => sees(prompt),
    heard: (bytes: Uint8Array) => {
      seen += Buffer.from(bytes).toString('latin1')
      wake()
    },
    lost: (reason: string) => fail(new Error(reason)),
  }
}

export const echoOfDocker = async (container: Docker.Container): Promise<Echo> => {
  const stream = await openDockerTerminal(container)
  const { echo, ready, heard, lost } = createEcho(
    (keys) => stream.write(keys),
    () => stream.end('exit\n'),
  )
  stream.on('data', heard)
  stream.once('close', () => lost('the shell of docker exec has ended'))
  await ready()
  return echo
}

/** A terminal of the service, as a program opens it. */
export const echoOfSocket = async (url: string, token: string, session_id: string): Promise<Echo> => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${basePath}${terminalPath}`)
  socket.binaryType = 'arraybuffer'
  const { echo, ready, heard, lost } = createEcho(
    (keys) => socket.send(Buffer.from(keys)),
    () => socket.close(1000),
  )
  socket.onclose = ({ code }) => lost(`the terminal was closed with ${code}`)
  socket.onopen = () => socket.send(JSON.stringify({ session_id, token, columns: 80, rows: 24 }))
  socket.onmessage = ({ data }) => (typeof data === 'string' ? undefined : heard(new Uint8Array(data as ArrayBuffer)))
  await ready()
  return echo
}

/**
 * Runs in the page before its own scripts: notes when a key goes down, when its echo is in the terminal, and when it has been drawn. It is
 * in the terminal when the page's own handler has returned, or, where xterm.js has put the parsing off, when the timer for it has run.
 */
export const watchKeys = `
  window.benchKeys = { down: 0, arrived: [], drawn: [] }
  addEventListener('keydown', () => { benchKeys.down = performance.now() }, true)
  const setTimer = window.setTimeout
  const handled = (handle, event) => {
    const { down } = benchKeys
    benchKeys.down = 0
    const arrived = () => {
      benchKeys.arrived.push(performance.now() - down)
      requestAnimationFrame(() => requestAnimationFrame(() => benchKeys.drawn.push(performance.now() - down)))
    }
    let isPutOff = false
    window.setTimeout = (act, ms = 0, ...given) => {
      if (ms > 0 || isPutOff) return setTimer(act, ms, ...given)
      isPutOff = true
      return setTimer(() => { act(...given); arrived() }, ms)
    }
    handle(event)
    window.setTimeout = setTimer
    if (!isPutOff) arrived()
  }
  const Original = WebSocket
  window.WebSocket = class extends Original {
    set onmessage(handle) {
      super.onmessage = (event) => (typeof event.data === 'string' || benchKeys.down === 0 ? handle(event) : handled(handle, event))
    }
  }
`

const drawn = (count: number) =>
  `new Promise((done) => { const look = () => (benchKeys.drawn.length >= ${count} ? done() : setTimeout(look, 1)); look() })`

/** Types into the terminal that the page shows. The page was opened with `watchKeys`. */
export const echoInPage = async (page: Page, keystrokes: number): Promise<{ arrived: number[]; drawn: number[] }> => {
  await page.locator('.terminal-pane:not([hidden]) .xterm-helper-textarea').focus()
  const clear = 'Object.assign(benchKeys, { down: 0, arrived: [], drawn: [] })'
  await page.evaluate(clear)
  for (let index = 0; index < keystrokes; index += 1) {
    await page.keyboard.press('x')
    await page.evaluate(drawn(index + 1))
    if (index % lineLength === lineLength - 1) {
      await page.keyboard.press('Control+u')
      await page.evaluate(drawn(index + 2))
      await page.evaluate('benchKeys.arrived.pop(), benchKeys.drawn.pop()')
    }
  }
  return (await page.evaluate('benchKeys')) as { arrived: number[]; drawn: number[] }
}

/** Types into the page of `bare-terminal.ts`. */
export const echoInBarePage = async (page: Page, keystrokes: number): Promise<number[]> => {
  await page.evaluate('bareTimes.length = 0')
  for (let index = 0; index < keystrokes; index += 1) {
    await page.keyboard.press('x')
    await page.waitForFunction(`bareTimes.length > ${index}`)
    if (index % lineLength === lineLength - 1) await page.keyboard.press('Control+u')
    await page.waitForTimeout(pauseMs)
  }
  return (await page.evaluate('bareTimes')) as number[]
}
