// Who calls: an account, or somebody without one.

/** Who asks. Every feature takes one; none looks at headers or cookies. */
export interface Account {
  readonly kind: 'account'
  readonly accountId: string
  readonly login: string
  readonly role: 'operator' | 'member'
}

/** Nobody in particular, known by where the request came from. */
export interface Anonymous {
  readonly kind: 'anonymous'
  readonly address: string
}

export type Caller = Account | Anonymous
