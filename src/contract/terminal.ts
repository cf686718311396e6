// The WebSocket protocol of terminals.

import { z } from 'zod'
import { ErrorEnvelope } from './error.ts'
import { SandboxRestartRequest } from './sandbox.ts'

/** A WebSocket. Binary frames are keystrokes one way and output the other; text frames are the JSON below. */
export const terminalPath = '/sandbox/terminal'

export const terminalLimits = { helloSeconds: 10, frameBytes: 64 * 1024, perSandbox: 10, scrollbackBytes: 256 * 1024 } as const

/** Why the service ended a connection. */
export const terminalCloseCodes = {
  ended: 1000,
  goingAway: 1001,
  refused: 1008,
  tooLarge: 1009,
  internal: 1011,
  replaced: 4000,
  removed: 4001,
} as const

const size = {
  columns: z.int().min(1).max(1000).describe('The width of the window.'),
  rows: z.int().min(1).max(1000).describe('Its height.'),
}

/** The client's first message: nothing secret is in the address. */
export const TerminalHello = z.strictObject({
  session_id: SandboxRestartRequest.shape.session_id.optional().describe('`session_id` of the start. Not needed with the token of a lab.'),
  token: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('A personal access token, or the token of a lab; without one, the browser session counts.'),
  container: SandboxRestartRequest.shape.container,
  terminal_id: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('`terminal_id` of a connection that was lost: leads back to its shell. A guest names the one to follow.'),
  offset: z.int().min(0).optional().describe('Bytes of output that were seen already; only for a terminal_id.'),
  ...size,
})
export type TerminalHello = z.infer<typeof TerminalHello>

export const TerminalControl = z
  .strictObject({
    resize: z.strictObject(size).optional().describe('The window has another size.'),
    keys: z
      .literal(true)
      .optional()
      .describe('For the owner: what they type goes to this terminal from now on. Those who follow are told.'),
  })
  .refine(({ resize, keys }) => resize !== undefined || keys !== undefined, 'must have `resize` or `keys`')
export type TerminalControl = z.infer<typeof TerminalControl>

export const TerminalEvent = z.union([
  z.object({
    ready: z.literal(true).describe('The shell runs; output follows.'),
    container: z.string().describe('Where it runs.'),
    expires_at: z.iso.datetime().describe('When the sandbox ends.'),
    terminal_id: z.string().describe('Leads back to this shell after the connection was lost.'),
    offset: z.int().describe('How many bytes the shell had printed before those that follow.'),
  }),
  z.object({ warning: z.string().describe('For example that the sandbox ends soon, or is being graded.') }),
  ErrorEnvelope,
  z.object({ replaced: z.literal(true).describe('Another connection has taken the terminal over.') }),
  z.object({ size: z.object(size).describe('For a guest: the size of the window of the owner.') }),
  z.object({
    gap: z
      .object({ offset: z.int() })
      .describe('For a guest that was too slow or follows very much: output before this offset was left out.'),
  }),
  z.object({ removed: z.literal(true).describe('The invitation was ended, or the token replaced.') }),
  z.object({ exit: z.literal(true).describe('The shell has ended.') }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>
