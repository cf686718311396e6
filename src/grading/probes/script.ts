// Probe: a script of the scenario, run in the probe container.

import { z } from 'zod'
import type { LeafProbe } from '../../catalog/probe-file.ts'
import { differs, holds, oneLine, timedOut } from '../observation.ts'
import type { RunProbe } from '../probe-context.ts'
import { FilesAnswer } from './file.ts'

type Spec = Extract<LeafProbe, { script: unknown }>['script']

export const ScriptAnswer = z.object({ exit_code: z.int().nullable(), stdout: z.string(), stderr: z.string() })

/** Digests in the output, which mean nothing to a reader. */
const digest = /[,:]? [0-9a-f]{24,}\b/g

/** Runs a check script in the probe. Its first line of output is reported to users, so it must not contain secrets. */
export const run: RunProbe<Spec> = async (spec, { observer, scriptText }) => {
  const { in: service = '', path: paths = [] } = spec.input ?? {}
  const found = await Promise.all(paths.map((path) => observer.inspect(service, { look: 'file', path, text: true }, FilesAnswer)))
  const stdin = found.flatMap(({ entries }) => entries.map((entry) => entry.text ?? '')).join('\n')
  const question = { ask: 'script', text: scriptText(spec.run), env: spec.env, stdin, timeout_ms: spec.timeout_ms }
  const answer = await observer.ask(question, ScriptAnswer, spec.timeout_ms + 5_000)
  const said = oneLine(answer.stdout.split('\n')[0] ?? '')
  if (answer.exit_code === null) return timedOut('a check timed out')
  if (answer.exit_code !== spec.expect.exit_code) return differs(said || `a check exited with code ${answer.exit_code}`)
  if (spec.expect.stdout !== undefined && answer.stdout.trim() !== spec.expect.stdout.trim())
    return differs(`${said.replace(digest, '') || 'a check'}: not as it was before`)
  return holds(said || 'as expected')
}
