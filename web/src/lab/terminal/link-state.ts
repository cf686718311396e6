// How the connection of a terminal is, in words too. Pure.

import { clockTime, sentence } from '../../words.ts'

export type LossReason = 'connection' | 'server' | 'machine'
export type OverReason = 'exit' | 'replaced' | 'refused'

export type LinkState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  /** It is tried again by itself. */
  | { readonly kind: 'lost'; readonly since: Date; readonly why: LossReason }
  /** It is not tried again by itself. */
  | { readonly kind: 'over'; readonly why: OverReason; readonly message: string }

const lostWords: Readonly<Record<LossReason, string>> = {
  connection: 'The connection is lost',
  server: 'The server does not answer',
  machine: 'The machine is not up',
}

/** Empty when all is well. */
export const linkWords = (state: LinkState, container: string): string => {
  if (state.kind === 'opening') return `Opening a shell on ${container} …`
  if (state.kind === 'lost') {
    return `${lostWords[state.why]} since ${clockTime(state.since)}. It is tried again by itself; what is on the screen stays.`
  }
  return state.kind === 'over' ? sentence(state.message) : ''
}

/** What the button says that goes on. */
export const againWords: Readonly<Record<OverReason, string>> = {
  exit: 'Open a new shell',
  replaced: 'Take it back here',
  refused: 'Try again',
}
