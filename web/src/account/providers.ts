// Ways to sign in, as people call them.

export const providerTitles = { github: 'GitHub', google: 'Google', local: 'the one-time link of the operator' } as const
