// Probe: a command in a service, run by the engine's own exec.

import { z } from 'zod'
import { isLabError } from '../../errors.ts'
import { serviceName, text } from '../field-schemas.ts'
import { differs, holds } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service in which the command runs.'),
  run: z.string().describe('A command line for sh, run as root.'),
  expect: z
    .strictObject({
      exit_code: z.int().default(0).describe('The exit code that it must end with.'),
      stdout: text.optional().describe('Every text must appear in what it prints.'),
    })
    .prefault({})
    .describe('How it must end; without it, with exit code 0.'),
  timeout_ms: z.int().max(15_000).default(5_000).describe('How long it may take, in milliseconds.'),
})

/** Runs a program of the sandbox, which a user may have replaced: for hints and confirmations, never for a step. */
const run: RunProbe<typeof schema> = async (spec, { observer }) => {
  const command = { argv: ['sh', '-c', spec.run], timeoutMs: spec.timeout_ms, outputBytes: 65_536 }
  try {
    const result = await observer.engine.execDirect({ sandbox: observer.sandbox, service: spec.in }, command)
    const out = result.stdout.toString()
    if (result.timedOut) return differs(`a command in ${spec.in} timed out`)
    if (result.exitCode !== spec.expect.exit_code) return differs(`a command in ${spec.in} exited with code ${result.exitCode}`)
    if ((spec.expect.stdout ?? []).some((text) => !out.includes(text)))
      return differs(`a command in ${spec.in} did not print the expected text`)
    return holds(`a command in ${spec.in} exited with code ${result.exitCode}`)
  } catch (error) {
    if (isLabError(error, 'container_not_running')) return differs(`${spec.in} is not running`)
    throw error
  }
}

export const kind = probeKind({
  looksAt: 'what a program of the sandbox says: for confirmations and hints only',
  from: 'the service',
  schema,
  run,
})
