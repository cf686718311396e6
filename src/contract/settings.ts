// The public settings of an installation, on the wire.

import { z } from 'zod'
import { Plan } from './offers.ts'

const Rates = z.object({ read: z.int(), write: z.int(), start: z.int(), exec: z.int(), auth: z.int() })

export const Settings = z
  .object({
    service: z.string(),
    version: z.string(),
    api_versions: z.array(z.string()).describe('Newest first; each is a value of the API-Version header.'),
    default_course_id: z.string(),
    extra_capabilities: z
      .boolean()
      .describe('Whether courses with `requires_account` can be started here: only where the container engine confines capabilities.'),
    sign_in: z.object({ github: z.boolean(), google: z.boolean(), local: z.boolean() }),
    plans: z.array(Plan),
    limits: z.object({
      sandbox_linger_minutes: z.int().describe("What an account's sandbox lives beyond the course's `duration_minutes`."),
      sandbox_anonymous_minutes: z.int(),
      sandbox_extend_minutes: z.int(),
      sandbox_longest_minutes: z.int(),
      sandbox_grace_minutes: z.int().describe('What a sandbox lives on after a passed evaluation.'),
      sandbox_disk_bytes: z.int().describe('What a sandbox may keep on disk; beyond, it is ended with `disk_exceeded`.'),
      sandboxes_per_account: z.int(),
      sandboxes_per_anonymous_address: z.int().describe('Without an account: per IPv4 address, or per IPv6 /64.'),
      capacity: z.int(),
      queue: z.int(),
      evaluations_per_session: z.int(),
      evaluation_spacing_seconds: z.int(),
      requests_per_minute: z
        .object({ anonymous: Rates, account: Rates })
        .nullable()
        .describe('By class of operation. Null where requests are not limited.'),
      connections_per_network: z.int().describe('Open ones of one IPv4 address or IPv6 /64, terminals included.'),
      batch_items: z.int(),
      idempotency_retention_hours: z.int(),
      idempotency_answer_bytes: z.int().describe('The largest answer that is kept under an Idempotency-Key.'),
      idempotency_account_bytes: z.int().describe('All kept answers of an account together.'),
      exec_default_timeout_seconds: z.int(),
      exec_max_timeout_seconds: z.int(),
      exec_output_bytes: z.int().describe('Per stream.'),
      terminal_linger_seconds: z.int().describe('How long a shell waits for a lost connection to come back.'),
      recording_bytes: z.int().describe('Per sandbox.'),
      recording_retention_days: z.int().describe('After the end of the sandbox.'),
      body_bytes: z.int(),
      page_default: z.int(),
      page_max: z.int(),
    }),
    scoring: z.object({ steps: z.array(z.object({ name: z.string(), weight: z.int() })) }),
  })
  .meta({ id: 'Settings' })
export type Settings = z.infer<typeof Settings>
