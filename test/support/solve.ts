// Starts scenario-01 and applies its reference solution, as a user would.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parse } from 'yaml'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { root } from './engine.ts'
import type { Lab } from './server.ts'

/** Also when it has to queue, or takes long. */
export const startSandbox = async (lab: Lab): Promise<SandboxSession> => {
  const answer = await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
  if (answer.status === 200) return answer.body
  const session = async () => (await lab.call('GET', answer.body.status_url)).body.session
  await expect.poll(session).toBeDefined()
  return session()
}

interface Step {
  readonly in: string
  readonly run: string
}

/** The steps of the reference solution of scenario-01, as it is in `scenarios` or in the catalog of the suites. */
export const solutionIn = async (catalog: 'scenarios' | 'test/catalog'): Promise<Step[]> =>
  parse(await readFile(join(root, catalog, 'scenario-01/solutions/reference.yaml'), 'utf8')).steps

export const repair = async (
  lab: Lab,
  { session_id }: Pick<SandboxSession, 'session_id'>,
  catalog: 'scenarios' | 'test/catalog' = 'scenarios',
): Promise<void> => {
  for (const step of await solutionIn(catalog)) {
    const answer = await lab.call('POST', '/api/v1/sandbox/exec', { session_id, container: step.in, command: step.run })
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { exit_code: 0 } })
  }
}
