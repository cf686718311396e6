// Probe: a command in a service, run by the engine's own exec.

import type { LeafProbe } from '../../catalog/probe-file.ts'
import { isLabError } from '../../errors.ts'
import { differs, holds } from '../observation.ts'
import type { RunProbe } from '../probe-context.ts'

type Spec = Extract<LeafProbe, { exec: unknown }>['exec']

/** Runs a program of the sandbox, which a user may have replaced: for hints and confirmations, never for a step. */
export const run: RunProbe<Spec> = async (spec, { observer }) => {
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
