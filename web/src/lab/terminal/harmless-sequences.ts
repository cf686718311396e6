// What a program in a sandbox prints reaches the page as escape sequences too. Those that would act on the page or keep the browser busy
// are dropped: titles, links, the clipboard, colours of the whole terminal, and repetitions without bound.

import type { Terminal } from '@xterm/xterm'

/** Titles, the palette, links, default colours, the clipboard, resets of colours, and notifications of other terminals. */
const droppedCommands = [0, 1, 2, 4, 8, 9, 10, 11, 12, 52, 104, 110, 111, 112, 777, 1337] as const

/** Those whose number is how often something is done: repeat a character, and tabs; lines in and out, and scrolling. */
const repeated = ['b', 'I', 'Z'] as const
const moved = ['L', 'M', 'S', 'T'] as const
const mostTimes = 1_000

/** What asks the terminal for an answer: its state, its kind, its modes and settings. */
const questions = [
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
] as const

export const dropHarmfulSequences = (terminal: Terminal): void => {
  for (const command of droppedCommands) terminal.parser.registerOscHandler(command, () => true)
  const limit = (finals: readonly string[], most: () => number) => {
    for (const final of finals) terminal.parser.registerCsiHandler({ final }, ([times]) => typeof times === 'number' && times > most())
  }
  limit(repeated, () => mostTimes)
  limit(moved, () => terminal.rows) // more moves nothing that could be seen
}

/** For one that follows another: the answers of both would be typed into the same shell. */
export const leaveQuestions = (terminal: Terminal): void => {
  for (const id of questions) terminal.parser.registerCsiHandler(id, () => true)
  terminal.parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true)
}
