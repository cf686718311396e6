// What the connection of a terminal needs, and how it is, in words too. Pure.

import type { TerminalHello } from '../../../../src/contract/terminal.ts'
import { clockTime, sentence } from '../../words.ts'

export type LossReason = 'connection' | 'server' | 'machine'
export type OverReason = 'exit' | 'replaced' | 'refused' | 'removed'

export type LinkState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  /** It is tried again by itself. */
  | { readonly kind: 'lost'; readonly since: Date; readonly why: LossReason }
  /** It is not tried again by itself. */
  | { readonly kind: 'over'; readonly why: OverReason; readonly message: string }

export interface LinkOptions {
  /** One of both: a session id of the account, or the token of the lab. */
  readonly credential: Pick<TerminalHello, 'session_id' | 'token'>
  /** A guest follows a shell: it has the owner's size, and none is opened in its place. */
  readonly isFollower: boolean
  readonly container: string
  readonly size: () => { readonly columns: number; readonly rows: number }
  /** The shell to lead back to. */
  readonly remembered: string | null
  readonly remember: (terminalId: string | null) => void
  /** For a follower: the owner's window. */
  readonly resized: (size: { readonly columns: number; readonly rows: number }) => void
  /** For a follower that was too slow: what follows begins later. */
  readonly skipped: () => void
  /** What is typed goes to this terminal now. */
  readonly hasKeys: () => boolean
  /** A replay is what an earlier page has shown before. */
  readonly output: (bytes: Uint8Array, isReplay: boolean) => void
  readonly tell: (state: LinkState) => void
  readonly warn: (text: string) => void
  /** What comes now is of another shell. */
  readonly newShell: () => void
  /** Whether the machine is being restarted: then a shell that ends is followed by another. */
  readonly isRestarting: () => boolean
}

const lostWords: Readonly<Record<Exclude<LossReason, 'machine'>, string>> = {
  connection: 'The connection is lost',
  server: 'The server does not answer',
}

/** Empty when all is well. */
export const linkWords = (state: LinkState, container: string): string => {
  if (state.kind === 'opening') return `Opening a shell on ${container} …`
  if (state.kind === 'lost') {
    if (state.why === 'machine')
      return `${container} has stopped. It is tried again by itself, and comes back when it is restarted; what is on the screen stays.`
    return `${lostWords[state.why]} since ${clockTime(state.since)}. It is tried again by itself; what is on the screen stays.`
  }
  return state.kind === 'over' ? sentence(state.message) : ''
}

/** What the button says that goes on. */
export const againWords: Readonly<Record<OverReason, string>> = {
  exit: 'Open a new shell',
  replaced: 'Take it back here',
  refused: 'Try again',
  removed: 'Try again',
}
