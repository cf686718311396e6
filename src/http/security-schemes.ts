// The ways to prove who asks, as the OpenAPI document calls them. One more is one more entry here: operations and document follow.

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A personal access token, which begins with `ilab_pat_`.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-lab_session',
    description: 'A signed-in browser session; `lab_session` on http. Writes must come from a page of this service.',
  },
} as const

type Requirement = Partial<Record<keyof typeof securitySchemes, string[]>>

const anyOfThem: Requirement[] = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))

/** The `security` of an operation: one of the ways, or none where it is public. */
export const securityOf = (access: 'public' | 'account'): Requirement[] => (access === 'public' ? [{}, ...anyOfThem] : anyOfThem)
