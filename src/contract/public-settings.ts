// The public settings of an installation, on the wire.

import { z } from 'zod'
import { Plan } from './offers.ts'
import { type PublicLimit, publicMeanings } from './public-limits.ts'

const rate = (what: string) => z.int().describe(`${what} per minute.`)
const Rates = z.object({
  read: rate('Reads'),
  write: rate('Writes'),
  start: rate('Starts of sandboxes'),
  exec: rate('Commands in sandboxes'),
  auth: rate('Calls that concern credentials, and wrong credentials,'),
})

const limitShapes = Object.fromEntries(Object.entries(publicMeanings).map(([name, means]) => [name, z.int().describe(means)])) as Readonly<
  Record<PublicLimit, z.ZodInt>
>

export const PublicSettings = z
  .object({
    service: z.string().describe('What this service is called.'),
    version: z.string().describe('The version of the service itself.'),
    api_versions: z.array(z.string()).describe('Newest first; each is a value of the API-Version header.'),
    default_course_id: z.string().describe('The course for those who do not choose one.'),
    extra_capabilities: z
      .boolean()
      .describe('Whether courses with `requires_account` can be started here: only where the container engine confines capabilities.'),
    sign_in: z
      .object({
        github: z.boolean().describe('With an account of GitHub.'),
        google: z.boolean().describe('With an account of Google.'),
        local: z.boolean().describe('With a one-time link of the operator.'),
      })
      .describe('Ways to sign in that are in service here.'),
    payments: z
      .enum(['off', 'local', 'stripe'])
      .describe('The payment provider. `off`: nothing can be bought. `local`: no money moves, for development.'),
    requires_plan: z.boolean().describe('Whether each start needs a plan, or else costs one credit.'),
    plans: z.array(Plan).describe('Plans that can be bought, unless `payments` is `off`.'),
    limits: z
      .object({
        ...limitShapes,
        requests_per_minute: z
          .object({ anonymous: Rates.describe('For each network without a credential.'), account: Rates.describe('For each account.') })
          .nullable()
          .describe('By class of operation. Null where requests are not limited.'),
      })
      .describe('Every number that callers meet.'),
    scoring: z
      .object({
        steps: z
          .array(z.object({ name: z.string().describe('The name of the step.'), weight: z.int().describe('Its points of 100.') }))
          .describe('The seven steps, in their order.'),
      })
      .describe('How an evaluation is scored.'),
  })
  .meta({ id: 'Settings' })
export type PublicSettings = z.infer<typeof PublicSettings>
