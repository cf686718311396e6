// The caller of a feature: an account, or an anonymous client.

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
