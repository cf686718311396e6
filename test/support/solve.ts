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

export const repair = async (lab: Lab, { session_id }: Pick<SandboxSession, 'session_id'>): Promise<void> => {
  const text = await readFile(join(root, 'scenarios/scenario-01/solutions/reference.yaml'), 'utf8')
  for (const step of (parse(text) as { steps: { in: string; run: string }[] }).steps) {
    const answer = await lab.call('POST', '/api/v1/sandbox/exec', { session_id, container: step.in, command: step.run })
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { exit_code: 0 } })
  }
}
