import { z } from 'zod'
import { ErrorEnvelope } from './error.ts'

/** A WebSocket. Binary frames are keystrokes one way and output the other; text frames are the JSON below. */
export const terminalPath = '/sandbox/terminal'

export const terminalLimits = { helloSeconds: 10, frameBytes: 64 * 1024, perSandbox: 10 } as const

const size = { columns: z.int().min(1).max(1000), rows: z.int().min(1).max(1000) }

/** The client's first message: nothing secret is in the address. */
export const TerminalHello = z.strictObject({
  session_id: z.string().min(1).max(128),
  token: z.string().min(1).max(256),
  container: z.string().min(1).max(64).optional().describe('One of `containers`; the workstation by default.'),
  ...size,
})
export type TerminalHello = z.infer<typeof TerminalHello>

export const TerminalControl = z.strictObject({ resize: z.strictObject(size) })
export type TerminalControl = z.infer<typeof TerminalControl>

export const TerminalEvent = z.union([
  z.object({ ready: z.literal(true), container: z.string(), expires_at: z.iso.datetime() }),
  z.object({ warning: z.string() }),
  ErrorEnvelope,
  z.object({ exit: z.literal(true).describe('The shell has ended.') }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>
