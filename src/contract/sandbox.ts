// Sandboxes and commands in them, on the wire.

import { z } from 'zod'
import { defaultCourseId } from './course.ts'
import { absolutePath, lookupId } from './names.ts'
import { timeToRepairMeaning } from './time-to-repair.ts'

export const SandboxStatus = z
  .enum(['starting', 'running', 'completed', 'terminated'])
  .describe('`completed`: an evaluation has passed, and it lives on for a while. `terminated`: it is gone.')
export type SandboxStatus = z.infer<typeof SandboxStatus>

export const TerminationReason = z
  .enum(['stopped', 'expired', 'failed', 'disk_exceeded', 'evicted'])
  .describe('Why it has ended. `disk_exceeded`: it kept more on disk than `sandbox_disk_bytes` of the public settings.')
export type TerminationReason = z.infer<typeof TerminationReason>

export const TerminatedBy = z
  .enum(['operator'])
  .describe('Given where it was ended by the operator: its `termination_reason` is `stopped` then.')
export type TerminatedBy = z.infer<typeof TerminatedBy>

/** One line, for every place that shows it: characters that break lines, or change their direction, do not belong there. */
const notInALine = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

export const terminationNote = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !notInALine.test(text), 'must be one line without control characters')

export const SandboxSession = z
  .object({
    session_id: z.string().describe('Keep it private: whoever has it may act in the sandbox.'),
    id: z.string().describe('The public name of the sandbox, safe in URLs and logs.'),
    terminal_url: z
      .string()
      .optional()
      .describe(
        'The page of the lab, for a person: with a ticket that works once and soon. Keep it private. Another one with each answer.',
      ),
    course_id: z.string().describe('The course that it was started from.'),
    status: SandboxStatus,
    containers: z.array(z.string()).describe('The services that can be entered; the first is the workstation.'),
    created_at: z.iso.datetime().describe('When it was asked for.'),
    expires_at: z.iso.datetime().describe('When it ends by itself, unless it is extended.'),
    evaluations_left: z.int().describe('How many more evaluations it may have.'),
    termination_reason: TerminationReason.optional(),
    termination_by: TerminatedBy.optional(),
    termination_note: z.string().optional().describe('What the operator says of the end. Text, never markup.'),
    seconds_to_repair: z.int().optional().describe(`Once it is repaired: ${timeToRepairMeaning}.`),
    given_up_at: z.iso
      .datetime()
      .optional()
      .describe('When its owner gave up and was shown the debrief. Evaluations are `assisted` from then on.'),
    warnings: z.array(z.string()).describe('What its owner should know, for example that it ends soon.'),
  })
  .meta({ id: 'SandboxSession' })
export type SandboxSession = z.infer<typeof SandboxSession>

export const SandboxList = z.object({ items: z.array(SandboxSession).describe('All that have not ended.') }).meta({ id: 'SandboxList' })

export const SandboxParams = z.strictObject({
  sandboxId: lookupId.describe('`id` of the sandbox.'),
})

export const SandboxStartRequest = z
  .strictObject({
    course_id: lookupId.describe('`id` of a course.').meta({ examples: [defaultCourseId] }),
    async: z.boolean().default(false).describe('True answers 202 with a job at once.'),
    seed: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
      .optional()
      .describe('Replays a sandbox. For operators only.'),
  })
  .meta({ id: 'SandboxStartRequest', examples: [{ course_id: defaultCourseId }] })
export type SandboxStartRequest = z.input<typeof SandboxStartRequest>

const session_id = z
  .string()
  .min(1)
  .max(128)
  .describe('`session_id` of the start.')
  .meta({ examples: ['k3v9x2m4p7q1w8e5.7h2n9c4x1v6b3m8k5j2g9f4d1s6a3p8q'] })

const container = z.string().min(1).max(64).optional().describe('One of `containers`; the workstation by default.')

/** The body of operations that need only a session id. */
export const SandboxRequest = z.strictObject({ session_id }).meta({ id: 'SandboxRequest' })

export const SandboxRestartRequest = z
  .strictObject({
    session_id,
    container,
  })
  .meta({ id: 'SandboxRestartRequest' })
export type SandboxRestartRequest = z.infer<typeof SandboxRestartRequest>

export const execLimits = { defaultTimeoutSeconds: 30, maxTimeoutSeconds: 300, outputBytes: 1024 * 1024 } as const

/** The longest argument that Linux accepts. */
const commandBytes = 128 * 1024 - 1

export const SandboxExecRequest = z
  .strictObject({
    session_id,
    command: z
      .string()
      .max(commandBytes, { abort: true }) // then it has too many bytes, too
      .refine((command) => new TextEncoder().encode(command).length <= commandBytes, `must not be longer than ${commandBytes} bytes`)
      .refine((command) => command.trim() !== '', 'must not be empty')
      .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
      .describe('Run by `sh -c`.')
      .meta({ examples: ['tail -n 20 /var/log/nginx/error.log'] }),
    container,
    timeout_seconds: z
      .int()
      .min(1)
      .max(execLimits.maxTimeoutSeconds)
      .default(execLimits.defaultTimeoutSeconds)
      .describe('How long it may take; then it is killed.'),
    stdin: z
      .string()
      .max(512 * 1024)
      .optional()
      .describe('What it reads from its standard input.'),
    working_directory: absolutePath.optional().describe('Where it runs; the working directory of the container by default.'),
  })
  .meta({ id: 'SandboxExecRequest' })
export type SandboxExecRequest = z.infer<typeof SandboxExecRequest>

export const SandboxExecResponse = z
  .object({
    stdout: z.string().describe('Its standard output, up to `exec_output_bytes` of the public settings.'),
    stderr: z.string().describe('Its standard error, up to the same limit.'),
    exit_code: z.int().nullable().describe('Null when the command was killed by its timeout.'),
    timed_out: z.boolean().describe('Whether its timeout has killed it.'),
    stdout_bytes: z.int().describe('What the command wrote, also beyond the cap on `stdout`.'),
    stderr_bytes: z.int().describe('The same for `stderr`.'),
    duration_ms: z.int().describe('How long it took, in milliseconds.'),
  })
  .meta({ id: 'SandboxExecResponse' })
export type SandboxExecResponse = z.infer<typeof SandboxExecResponse>
