/** Who asks. Every feature takes one; none looks at headers or cookies. */
export interface Caller {
  readonly accountId: string
  readonly login: string
  readonly role: 'operator' | 'member'
}
