// The caller of a feature: an account, an anonymous client, or whoever holds a token of one lab.

import type { LabRole } from '../contract/lab-access.ts'

/** Features receive a caller and never read headers or cookies. */
export interface Account {
  readonly kind: 'account'
  readonly accountId: string
  readonly role: 'operator' | 'member'
}

/** A client without a credential, identified by its network. */
export interface Anonymous {
  readonly kind: 'anonymous'
  readonly address: string
}

export type Caller = Account | Anonymous

/** Acts in one sandbox, and is nobody otherwise: its owner by a ticket, or a guest. */
export interface LabHolder {
  readonly kind: 'lab'
  readonly accessId: string
  readonly sandboxId: string
  readonly role: LabRole
  /** Null for an owner. */
  readonly invitationId: string | null
  /** Which of the places for guests it has; null for an owner. */
  readonly place: number | null
}
