// Runs a command in a sandbox.

import { z } from 'zod'
import { execLimits, SandboxExecRequest, SandboxExecResponse } from '../../contract/sandbox.ts'
import { boundsOf, outputLimits } from '../output-limits.ts'
import { defineTool } from '../tool.ts'

const rest =
  'the middle was left out, as the line in brackets says. For the rest, raise max_output_bytes, or write the output to a file ' +
  'and read a part of that (tail -c +OFFSET FILE | head -c LENGTH), or use start_command and read_output'

export const tool = defineTool({
  title: 'Run a command in a sandbox',
  description:
    'Runs one shell command as root in a container of the sandbox and returns its output and exit code as JSON text: stdout, stderr, ' +
    'exit_code, timed_out, stdout_bytes, stderr_bytes, duration_ms, truncated. ' +
    'Every call is a shell of its own: nothing but the file system and background processes is kept between calls. ' +
    'A non-zero exit code and a timeout are results, not errors. ' +
    `Of each stream at most ${outputLimits.defaultBytes} bytes are returned, its beginning and its end: then truncated is true, ` +
    'stdout_bytes and stderr_bytes say how much there was, and a line in brackets which bytes are missing. For more, set ' +
    `max_output_bytes, up to ${execLimits.outputBytes}; or narrow the command (grep, head, tail); or run it with start_command and ` +
    'read any part of its output with read_output.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rate: 'exec',
  textOnly: true,
  input: SandboxExecRequest.extend({
    max_output_bytes: z
      .int()
      .min(outputLimits.leastBytes)
      .max(execLimits.outputBytes)
      .default(outputLimits.defaultBytes)
      .describe('How much to return of stdout and of stderr at most.'),
  }),
  output: SandboxExecResponse.extend({ truncated: z.boolean(), rest: z.string().optional() }),
  run: async ({ access, sandboxes }, { max_output_bytes, ...request }, { caller, disconnected, closingCancels }) => {
    const result = await sandboxes.exec(await access.held(caller, request.session_id), request, {
      bounds: boundsOf(max_output_bytes),
      signal: closingCancels ? disconnected : undefined,
    })
    return result.truncated ? { ...result, rest } : result
  },
})
