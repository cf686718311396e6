// Finds commands in the recording of a terminal. What was typed is not recorded, so they are read from the screen: lines that begin like a
// prompt of a shell. A program can print such a line too, so this is a help for finding one's way, and proves nothing.

import { Terminal } from '@xterm/xterm'
import { dropHarmfulSequences } from '../lab/terminal/harmless-sequences.ts'
import { type Cast, readSize } from './cast.ts'
import { commandInLine } from './prompt.ts'
import type { Stop } from './timeline.ts'

const mostCommands = 500
const mostWrappedLines = 10
const scrollbackLines = 50
const eventsAtOnce = 1_000

export const readScreenCommands = async (cast: Cast): Promise<Stop[]> => {
  const terminal = new Terminal({ cols: cast.columns, rows: cast.rows, scrollback: scrollbackLines, allowProposedApi: true })
  dropHarmfulSequences(terminal)
  const found: Stop[] = []
  let at = 0

  /** The line that has just been left, with those above that it goes on from. */
  const leftLine = (): string => {
    const buffer = terminal.buffer.active
    let row = buffer.baseY + buffer.cursorY - 1
    let text = buffer.getLine(row)?.translateToString(true) ?? ''
    for (let wrapped = 0; wrapped < mostWrappedLines && buffer.getLine(row)?.isWrapped === true; wrapped += 1) {
      row -= 1
      text = `${buffer.getLine(row)?.translateToString() ?? ''}${text}`
    }
    return text
  }
  terminal.onLineFeed(() => {
    if (found.length >= mostCommands || terminal.buffer.active.type !== 'normal') return
    const label = commandInLine(leftLine())
    if (label !== null) found.push({ at, label })
  })
  /** Resolves when everything before it has been read. */
  const settled = () => new Promise<void>((resolve) => terminal.write('', resolve))
  for (const [index, event] of cast.events.entries()) {
    if (found.length >= mostCommands) break
    const size = event.kind === 'resize' ? readSize(event.text) : null
    if (size !== null || index % eventsAtOnce === 0) await settled()
    if (size !== null) terminal.resize(size.columns, size.rows)
    if (event.kind !== 'output') continue
    // Writes are read later, in their order: this one's time counts from when all before it have been read.
    terminal.write('', () => {
      at = event.at
    })
    terminal.write(event.text)
  }
  await settled()
  terminal.dispose()
  return found
}
