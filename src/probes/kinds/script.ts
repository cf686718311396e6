// Probe: a script of the scenario, run in the probe container.

import { z } from 'zod'
import { absolutePath } from '../../contract/names.ts'
import { wasKilled } from '../exit-codes.ts'
import { environment, insidePath, serviceName, word } from '../field-schemas.ts'
import { differs, holds, killed, oneLine, timedOut } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'
import { FilesAnswer } from './file.ts'

/** A script that runs in the probe. */
export const ProbeScript = z.strictObject({
  run: insidePath.describe('The script, as a path inside the scenario folder: checks/orders.sh. It runs in the probe container.'),
  env: environment.default({}).describe('Environment variables of the script; parameters, {{nonce}} and baselines may stand here.'),
  timeout_ms: z.int().max(20_000).default(10_000).describe('How long it may take, in milliseconds.'),
})

export type ProbeScript = z.infer<typeof ProbeScript>

const schema = ProbeScript.extend({
  input: z
    .strictObject({
      in: serviceName.describe('The service whose files are read.'),
      path: z
        .union([absolutePath.transform((path) => [path]), z.array(absolutePath).min(1)])
        .describe('The path of a file, or a list of them.'),
    })
    .optional()
    .describe('Files of a service, joined, as standard input.'),
  expect: z
    .strictObject({
      exit_code: z.int().default(0).describe('The exit code that it must end with.'),
      stdout: word.optional().describe('Exactly what it must print, apart from space around it.'),
    })
    .prefault({})
    .describe('How it must end; without it, with exit code 0.'),
})

export const ScriptAnswer = z.object({ exit_code: z.int().nullable(), stdout: z.string(), stderr: z.string() })

/** Digests in the output, which mean nothing to a reader. */
const digest = /[,:]? [0-9a-f]{24,}\b/g

/** Runs a check script in the probe. Its first line of output is reported to users, so it must not contain secrets. */
const run: RunProbe<typeof schema> = async (spec, { observer, scriptText }) => {
  const { in: service = '', path: paths = [] } = spec.input ?? {}
  const found = await Promise.all(paths.map((path) => observer.inspect(service, { inspection: 'file', path, text: true }, FilesAnswer)))
  const stdin = found.flatMap(({ entries }) => entries.map((entry) => entry.text ?? '')).join('\n')
  const question = { ask: 'script', text: scriptText(spec.run), env: spec.env, stdin, timeout_ms: spec.timeout_ms }
  const answer = await observer.ask(question, ScriptAnswer, spec.timeout_ms + 5_000)
  const said = oneLine(answer.stdout.split('\n')[0] ?? '')
  if (answer.exit_code === null) return timedOut('a check timed out')
  if (wasKilled(answer.exit_code)) return killed('a check was killed')
  if (answer.exit_code !== spec.expect.exit_code) return differs(said || `a check exited with code ${answer.exit_code}`)
  if (spec.expect.stdout !== undefined && answer.stdout.trim() !== spec.expect.stdout.trim())
    return differs(`${said.replace(digest, '') || 'a check'}: not as it was before`)
  return holds(said || 'as expected')
}

export const kind = probeKind({
  looksAt:
    'whatever a shell script can find out with curl, jq, openssl, dig, psql, pg_waldump, redis-cli, amqp-*, mosquitto_*, etcdctl and python3; `input` feeds it files of a service',
  from: 'the probe',
  schema,
  reads: ({ input }) => input?.path ?? [],
  scripts: ({ run }) => [run],
  run,
})
