// The limits in GET /settings/public: those of limits.ts that have a public name, and those that are the same everywhere.

import { bodyLimit } from './api-version.ts'
import { type LimitValues, limitDefinitions } from './limits.ts'
import { pageLimits } from './page.ts'
import { execLimits } from './sandbox.ts'

type Defined = (typeof limitDefinitions)[keyof typeof limitDefinitions]
type PublicName = Extract<Defined, { public: string }>['public']

/** Limits that are the same everywhere, by their names in GET /settings/public. */
const fixedLimits = {
  exec_default_timeout_seconds: {
    value: execLimits.defaultTimeoutSeconds,
    means: 'How long a command may take that does not say how long.',
  },
  exec_max_timeout_seconds: { value: execLimits.maxTimeoutSeconds, means: 'The longest that a command may ask for.' },
  exec_output_bytes: { value: execLimits.outputBytes, means: 'What is kept of the output of a command, per stream.' },
  body_bytes: { value: bodyLimit, means: 'The largest body of a request.' },
  page_default: { value: pageLimits.default, means: 'Items on a page, where a request does not say how many.' },
  page_max: { value: pageLimits.max, means: 'The most items on a page.' },
} as const

export type PublicLimit = PublicName | keyof typeof fixedLimits

const published = Object.entries(limitDefinitions).flatMap(([key, limit]) =>
  'public' in limit ? [{ key: key as keyof LimitValues, name: limit.public, means: limit.means }] : [],
)

/** What each public limit means, by its name on the wire. */
export const publicMeanings = Object.fromEntries(
  [...published, ...Object.entries(fixedLimits).map(([name, { means }]) => ({ name, means }))].map(({ name, means }) => [name, means]),
) as Readonly<Record<PublicLimit, string>>

/** The limits of an installation as they go over the wire. */
export const publicLimitsOf = (values: LimitValues): Readonly<Record<PublicLimit, number>> =>
  Object.fromEntries([
    ...published.map(({ name, key }) => [name, values[key]]),
    ...Object.entries(fixedLimits).map(([name, { value }]) => [name, value]),
  ])
