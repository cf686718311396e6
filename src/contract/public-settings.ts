// The public settings of an installation, on the wire.

import { z } from 'zod'
import { Plan } from './offers.ts'
import { type PublicLimit, publicMeanings } from './public-limits.ts'

const Rates = z.object({ read: z.int(), write: z.int(), start: z.int(), exec: z.int(), auth: z.int() })

const limitShapes = Object.fromEntries(Object.entries(publicMeanings).map(([name, means]) => [name, z.int().describe(means)])) as Readonly<
  Record<PublicLimit, z.ZodInt>
>

export const PublicSettings = z
  .object({
    service: z.string(),
    version: z.string(),
    api_versions: z.array(z.string()).describe('Newest first; each is a value of the API-Version header.'),
    default_course_id: z.string(),
    extra_capabilities: z
      .boolean()
      .describe('Whether courses with `requires_account` can be started here: only where the container engine confines capabilities.'),
    sign_in: z
      .object({ github: z.boolean(), google: z.boolean(), local: z.boolean() })
      .describe('Which ways to sign in are set up here. `local` is the one-time link of the operator.'),
    plans: z.array(Plan),
    limits: z.object({
      ...limitShapes,
      requests_per_minute: z
        .object({ anonymous: Rates, account: Rates })
        .nullable()
        .describe('By class of operation. Null where requests are not limited.'),
    }),
    scoring: z.object({ steps: z.array(z.object({ name: z.string(), weight: z.int() })) }),
  })
  .meta({ id: 'Settings' })
export type PublicSettings = z.infer<typeof PublicSettings>
