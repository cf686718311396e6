// What the page knows of a terminal. The terminal itself is loaded when one is shown.

import type { LinkState } from './link-state.ts'

export interface TerminalEvents {
  readonly changed: (state: LinkState) => void
  /** A warning of the server. */
  readonly warned: (text: string) => void
  /** Ctrl-] and this key. */
  readonly command: (key: string) => void
  readonly waiting: (isWaiting: boolean) => void
}

export interface LiveTerminal {
  state(): LinkState
  /** Shows it there. */
  attach(place: HTMLElement, events: TerminalEvents): void
  detach(): void
  fit(): void
  focus(): void
  /** Whether there is a match; an empty text ends the search. */
  find(text: string, direction: 'next' | 'previous'): boolean
  /** Whether anything was selected. */
  copy(): boolean
  paste(text: string): void
  /** As if it came from a key; an arrow as programs expect it at the moment. */
  press(data: string): void
  setFontSize(size: number): void
  /** Its machine is being restarted, or no longer. */
  expectRestart(isExpected: boolean): void
  /** After its shell has ended, or was taken over. */
  reconnect(): void
  /** The lab is over: what is on the screen stays. */
  end(): void
  dispose(): void
}
