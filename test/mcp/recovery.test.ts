// An agent whose server is killed in the middle of a drill, and which has forgotten its session id by then.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectAgent, grade, ways } from '../support/mcp.ts'
import { type MortalLab, startMortalLab } from '../support/server.ts'
import { solutionIn } from '../support/solve.ts'

let lab: MortalLab

beforeAll(async () => {
  lab = await startMortalLab()
})
afterAll(() => lab?.close())

it('finds its drill again by its account, and solves it', async () => {
  const [modern] = ways
  const before = await connectAgent(lab.url(), modern, lab.token)
  const { session_id: forgotten } = await before.call('start_drill')
  const { command_id } = await before.call('start_command', { session_id: forgotten, command: 'echo begun; sleep 1000' })
  await before.call('exec_in_sandbox', { session_id: forgotten, command: 'echo noted > /root/notes' })
  const hint = await before.call('get_hint', { session_id: forgotten })
  expect(hint).toMatchObject({ level: 1, text: expect.any(String), hints_left: expect.any(Number) })

  await lab.replace()

  const agent = await connectAgent(lab.url(), modern, lab.token)
  const { drills } = await agent.call('drill_status')
  expect(drills).toMatchObject([{ course_id: 'scenario-01', status: 'running', containers: ['ops', 'web', 'app', 'db'] }])
  const { session_id } = drills[0]
  expect(session_id).toBe(forgotten)
  expect(await agent.call('exec_in_sandbox', { session_id, command: 'cat /root/notes' })).toMatchObject({ stdout: 'noted\n' })
  expect((await agent.call('list_commands', { session_id })).items).toMatchObject([{ command_id, status: 'running' }])
  expect(await agent.call('read_output', { session_id, command_id })).toMatchObject({ output: 'begun\n' })
  await agent.call('stop_command', { session_id, command_id })

  for (const { in: container, run: command } of await solutionIn('scenarios')) {
    expect(await agent.call('exec_in_sandbox', { session_id, container, command })).toMatchObject({ exit_code: 0 })
  }
  expect(await grade(() => agent.result('grade_drill', { session_id }))).toMatchObject({ passed: true, score: 100, hints_used: 1 })
  await agent.call('stop_drill', { session_id })
  expect(await agent.call('drill_status')).toEqual({ drills: [] })
  await agent.close()
  await before.close().catch(() => undefined) // its server is gone
})
