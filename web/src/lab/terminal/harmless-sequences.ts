// What a program in a sandbox prints reaches the page as escape sequences too. Those that would act on the page or keep the browser busy
// are dropped: titles, links, the clipboard, colours of the whole terminal, and repetitions without bound.

import type { Terminal } from '@xterm/xterm'

/** Titles, the palette, links, default colours, the clipboard, resets of colours, and notifications of other terminals. */
const droppedCommands = [0, 1, 2, 4, 8, 9, 10, 11, 12, 52, 104, 110, 111, 112, 777, 1337] as const

/** Those whose number is how often something is done: repeat a character, tabs, lines in and out, scrolling. */
const counted = ['b', 'I', 'Z', 'L', 'M', 'S', 'T'] as const
const mostTimes = 1_000

export const dropHarmfulSequences = (terminal: Terminal): void => {
  for (const command of droppedCommands) terminal.parser.registerOscHandler(command, () => true)
  for (const final of counted) {
    terminal.parser.registerCsiHandler({ final }, ([times]) => typeof times === 'number' && times > mostTimes)
  }
}
