// The ways to prove who asks, as the OpenAPI document calls them. One more is one more entry here: operations and document follow.

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A personal access token, which begins with `ilab_pat_`.' },
  lab: { type: 'http', scheme: 'bearer', description: 'The token of one lab (`POST /labs/access`), which begins with `ilab_lab_`.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-lab_session',
    description: 'A signed-in browser session; `lab_session` on http. Writes must come from a page of this service.',
  },
} as const

type Requirement = Partial<Record<keyof typeof securitySchemes, string[]>>

const ofLabs: Requirement[] = [{ bearer: [] }, { session: [] }, { lab: [] }]
const ofAccounts: Requirement[] = [{ bearer: [] }, { session: [] }]

/** Who may call an operation: `lab` is an account, or whoever holds the token of the lab that it is about. */
export type OperationAccess = 'public' | 'account' | 'lab'

/** The `security` of an operation: one of the ways, or none where it is public. */
export const securityOf = (access: OperationAccess): Requirement[] =>
  access === 'lab' ? ofLabs : access === 'public' ? [{}, ...ofAccounts] : ofAccounts
