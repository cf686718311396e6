// The same sandbox gets the same verdict every time, broken and repaired, while other sandboxes keep the machine busy: the small course
// beside one neighbour, and in deep runs every scenario beside twenty.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsOf, readSolutions } from '../src/catalog/attempt-file.ts'
import { loadCatalog } from '../src/catalog/catalog.ts'
import type { Scenario } from '../src/catalog/scenario.ts'
import { Evaluation, stepNames } from '../src/contract/evaluation.ts'
import type { SandboxSession } from '../src/contract/sandbox.ts'
import { root } from './support/engine.ts'
import { createRandom, seeds } from './support/random.ts'
import { type MortalLab, smallCatalog, startMortalLab } from './support/server.ts'
import { deep } from './support/test-mode.ts'

const neighbours = deep ? 20 : 1
const [seed = 0] = seeds
const catalog = await loadCatalog(join(root, deep ? 'scenarios' : 'test/catalog'))
const drawn = createRandom(seed).pick(catalog.scenarios)
const scenarios = deep ? catalog.scenarios : [drawn]
/** Every scenario is graded twice in a row, one of them many times. */
const most = deep ? 20 : 2
const gradingsOf = (scenario: Scenario) => (scenario === drawn ? most : 2)
const notAttempted = stepNames.slice(5)
/** A neighbour uses as much CPU as its limits allow, in more processes than the machine has cores. */
const toil = 'for i in 1 2 3; do setsid sh -c "while :; do :; done" > /dev/null 2>&1 < /dev/null & done'

let lab: MortalLab
let busy: SandboxSession[] = []
/** The sandbox of the first scenario: started beside the neighbours, graded when they are busy. */
let first: SandboxSession | undefined

const start = async (course_id: string): Promise<SandboxSession> => {
  const { status, body } = await lab.call('POST', '/sandbox/start', { course_id, async: true })
  expect(status, JSON.stringify(body)).toBe(202)
  const job = async () => (await lab.call('GET', body.status_url.replace('/api/v1', ''))).body
  await expect.poll(async () => (await job()).status, { timeout: 180_000 }).toBe('succeeded')
  return (await job()).session
}

const exec = async ({ session_id }: SandboxSession, container: string, command: string, stdin = '') => {
  const answer = await lab.call('POST', '/sandbox/exec', { session_id, container, command, stdin, timeout_seconds: 120 })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}

const instanceOf = async (scenario: Scenario, { id }: SandboxSession) => {
  const row = await lab.inside.store.sandboxes.find(id)
  if (row === null) throw new Error(`the store does not know ${id}`)
  return scenario.instantiate(row.seed)
}

const repair = async (scenario: Scenario, session: SandboxSession) => {
  const reference = (await readSolutions(scenario)).find(({ name }) => name === 'reference')
  if (reference === undefined) throw new Error(`${scenario.id} has no reference`)
  const { params } = await instanceOf(scenario, session)
  for (const step of commandsOf(reference, params)) await exec(session, step.in, 'sh -s', step.run)
}

/** All gradings fail these steps and pass the others. */
const expectVerdicts = async ({ session_id }: SandboxSession, times: number, failing: readonly string[]) => {
  for (let count = 0; count < times; count += 1) {
    const { status, body } = await lab.call('POST', '/sandbox/eval', { session_id })
    expect(status, JSON.stringify(body)).toBe(200)
    const failed = Evaluation.parse(body).checkpoints.filter(({ passed }) => !passed)
    expect(
      failed.map(({ name }) => name),
      JSON.stringify(failed),
    ).toEqual(failing)
  }
}

beforeAll(async () => {
  lab = await startMortalLab({
    ...(deep ? {} : smallCatalog),
    LAB_ACCOUNT_SANDBOXES: String(neighbours + 2),
    LAB_EVALUATION_SPACING_SECONDS: '0',
    LAB_EVALUATIONS: String(2 * most),
    LAB_GRACE_MINUTES: '60',
    LAB_LINGER_MINUTES: '240',
  })
})
afterAll(() => lab.close())

it(`${neighbours} neighbours are busy`, { timeout: 600_000 }, async () => {
  const starts = Array.from({ length: neighbours }, () => start('scenario-01'))
  ;[first, ...busy] = await Promise.all([start((scenarios[0] as Scenario).id), ...starts])
  await Promise.all(busy.map((session) => exec(session, 'ops', toil)))
})

describe.each(scenarios)(`$id, beside ${neighbours} others (seed ${seed})`, (scenario) => {
  const times = gradingsOf(scenario)
  it(`gets ${times} of ${times} equal verdicts before and after its repair`, { timeout: 3_600_000 }, async () => {
    const session = first ?? (await start(scenario.id))
    first = undefined
    try {
      const { breaks } = await instanceOf(scenario, session)
      const failing = stepNames.filter((name) => breaks.includes(name) || notAttempted.includes(name))
      await expectVerdicts(session, times, failing)
      await repair(scenario, session)
      await expectVerdicts(session, times, [])
    } finally {
      await lab.call('POST', '/sandbox/stop', { session_id: session.session_id })
    }
  })
})

it(`${neighbours} neighbours are busy to the end`, async () => {
  const left = await Promise.all(busy.map((session) => exec(session, 'ops', "pgrep -fc '^sh -c while'")))
  expect(left.map(({ stdout }) => stdout.trim())).toEqual(Array.from({ length: neighbours }, () => '3'))
})
