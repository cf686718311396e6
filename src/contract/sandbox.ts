// Sandboxes and commands in them, on the wire.

import { z } from 'zod'
import { defaultCourseId } from './course.ts'
import { absolutePath, lookupId } from './names.ts'

export const SandboxStatus = z.enum(['starting', 'running', 'completed', 'terminated'])
export type SandboxStatus = z.infer<typeof SandboxStatus>

export const TerminationReason = z.enum(['stopped', 'expired', 'failed', 'disk_exceeded', 'evicted'])
export type TerminationReason = z.infer<typeof TerminationReason>

export const SandboxSession = z
  .object({
    session_id: z.string().describe('Keep it private: whoever has it may act in the sandbox.'),
    id: z.string().describe('The public name of the sandbox, safe in URLs and logs.'),
    course_id: z.string(),
    status: SandboxStatus,
    containers: z.array(z.string()).describe('The services that can be entered; the first is the workstation.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    evaluations_left: z.int(),
    termination_reason: TerminationReason.optional(),
    warnings: z.array(z.string()).describe('What its owner should know, for example that it ends soon.'),
  })
  .meta({ id: 'SandboxSession' })
export type SandboxSession = z.infer<typeof SandboxSession>

export const SandboxList = z.object({ items: z.array(SandboxSession) }).meta({ id: 'SandboxList' })

export const SandboxParams = z.strictObject({
  sandboxId: lookupId.describe('`id` of the sandbox.'),
})

export const SandboxStartRequest = z
  .strictObject({
    course_id: lookupId.meta({ examples: [defaultCourseId] }),
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
      .max(commandBytes)
      .refine((command) => new TextEncoder().encode(command).length <= commandBytes, `must not be longer than ${commandBytes} bytes`)
      .refine((command) => command.trim() !== '', 'must not be empty')
      .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
      .describe('Run by `sh -c`.')
      .meta({ examples: ['tail -n 20 /var/log/nginx/error.log'] }),
    container,
    timeout_seconds: z.int().min(1).max(execLimits.maxTimeoutSeconds).default(execLimits.defaultTimeoutSeconds),
    stdin: z
      .string()
      .max(512 * 1024)
      .optional(),
    working_directory: absolutePath.optional(),
  })
  .meta({ id: 'SandboxExecRequest' })
export type SandboxExecRequest = z.infer<typeof SandboxExecRequest>

export const SandboxExecResponse = z
  .object({
    stdout: z.string(),
    stderr: z.string(),
    exit_code: z.int().nullable().describe('Null when the command was killed by its timeout.'),
    timed_out: z.boolean(),
    stdout_bytes: z.int().describe('What the command wrote, also beyond the cap on `stdout`.'),
    stderr_bytes: z.int(),
    duration_ms: z.int(),
  })
  .meta({ id: 'SandboxExecResponse' })
export type SandboxExecResponse = z.infer<typeof SandboxExecResponse>
