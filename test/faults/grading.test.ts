// What fails beside the sandbox while it is graded is never a verdict: it is tried again, and then costs nothing. What fails in the sandbox
// is a verdict: otherwise whoever broke it would be graded for free.

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadScenario } from '../../src/catalog/scenario.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { connectDocker } from '../../src/engine/docker/connection.ts'
import { labelFilter } from '../../src/engine/docker/labels.ts'
import { messageOf } from '../../src/errors.ts'
import { readBaseline } from '../../src/grading/baseline.ts'
import { startDeadline } from '../../src/grading/deadline.ts'
import { grade } from '../../src/grading/grade.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { type DockerGateway, startDockerGateway } from '../support/docker-gateway.ts'
import { root } from '../support/engine.ts'
import { type Answer, inDatabase, type Lab, smallCatalog, startLab } from '../support/server.ts'

const all = 20
let gateway: DockerGateway
let lab: Lab
let inside: Installation
/** Beside the gateway. */
const docker = connectDocker(readConfig())

beforeAll(async () => {
  gateway = await startDockerGateway()
  const settings = { LAB_ACCOUNT_SANDBOXES: '20', LAB_EVALUATION_SPACING_SECONDS: '0', LAB_EVALUATIONS: String(all) }
  lab = await startLab({ ...smallCatalog, ...settings, DOCKER_HOST: gateway.dockerHost })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
})
afterEach(() => gateway.open())
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
  await gateway?.close()
})

const start = async (): Promise<SandboxSession> => {
  const { status, body } = await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const evaluate = ({ session_id }: SandboxSession) => lab.call('POST', '/api/v1/sandbox/eval', { session_id })
const exec = async ({ session_id }: SandboxSession, container: string, command: string) => {
  const { status } = await lab.call('POST', '/api/v1/sandbox/exec', { session_id, container, command })
  expect(status).toBe(200)
}
const rowOf = async ({ id }: SandboxSession) => {
  const row = await inside.store.sandboxes.find(id)
  if (row === null) throw new Error(`there is no row of ${id}`)
  return row
}
/** Evaluations left, and failures of the infrastructure that were counted. */
const counts = async (session: SandboxSession) => {
  const { evaluations_left } = (await lab.call('GET', `/api/v1/sandbox/${session.id}`)).body
  return [evaluations_left, (await rowOf(session)).grading_errors]
}
const refusal = ({ status, body }: Answer) => [status, body.error?.code]
const failing = ({ body }: Answer) =>
  body.checkpoints.filter(({ passed, output }: { passed: boolean; output: string }) => !passed && output !== 'not attempted')

/** The site takes requests and answers none, so that an evaluation lasts for some seconds. */
const hang = (session: SandboxSession) => exec(session, 'web', 'pkill -STOP nginx')

const containerOf = async (match: Parameters<typeof labelFilter>[0]) => {
  const [found] = await docker.listContainers({ all: true, filters: labelFilter({ installation: inside.store.installation, ...match }) })
  if (found === undefined) throw new Error(`there is no container ${JSON.stringify(match)}`)
  return docker.getContainer(found.Id)
}
const probeOf = ({ id }: SandboxSession) => containerOf({ sandbox: id, role: 'probe' })
/** Runs in the probe, where no user can; not waited for. */
const inProbe = async (session: SandboxSession, command: string) => {
  const run = await (await probeOf(session)).exec({ Cmd: ['sh', '-c', command] })
  await run.start({ Detach: true })
}
const silence = (session: SandboxSession) => inProbe(session, "while :; do pkill -STOP -f '[n]etwork_probe.py'; sleep 0.05; done")
const unsilence = async (session: SandboxSession) => {
  await inProbe(session, "pkill -KILL -f 'while [:]; do'; pkill -CONT -f '[n]etwork_probe.py'")
  await delay(500)
}
/** A hundredth of a processor for the probe, as on a machine that has no time for it. */
const slowDown = async (session: SandboxSession, cpus: number) => (await probeOf(session)).update({ NanoCpus: cpus * 1e9 })

describe('beside the sandbox', () => {
  it('a probe that is silent, and a machine that is too slow, are no verdict; the third time is the last', async () => {
    const session = await start()
    await silence(session)
    expect(refusal(await evaluate(session))).toEqual([500, 'grading_failed'])
    expect(await counts(session)).toEqual([all, 1])
    await unsilence(session)
    expect((await evaluate(session)).status).toBe(200)
    expect(await counts(session)).toEqual([all - 1, 1])

    await hang(session)
    await slowDown(session, 0.01)
    expect(refusal(await evaluate(session))).toEqual([500, 'grading_failed'])
    expect(await counts(session)).toEqual([all - 1, 2])
    await slowDown(session, 1)

    await silence(session)
    expect(refusal(await evaluate(session))).toEqual([500, 'grading_failed'])
    expect(await counts(session)).toEqual([all - 1, 3])
    await unsilence(session)

    const refused = await evaluate(session)
    expect(refusal(refused)).toEqual([500, 'grading_failed'])
    expect(refused.body.error.resolution_hint).toBe('start another sandbox')
    expect(await counts(session)).toEqual([all - 1, 3])
  })

  it('inspectors that are silent are started again', async () => {
    const session = await start()
    const before = failing(await evaluate(session))
    await (await containerOf({ role: 'inspector' })).pause()
    expect(failing(await evaluate(session))).toEqual(before)
    expect(await counts(session)).toEqual([all - 2, 0])
  })

  it('inspectors that die in the middle are started again', async () => {
    const session = await start()
    await evaluate(session) // they are there
    const grading = evaluate(session)
    await (await containerOf({ role: 'inspector' })).kill()
    expect(failing(await grading)).toEqual(failing(await evaluate(session)))
    expect(await counts(session)).toEqual([all - 3, 0])
  })

  it('a probe that dies is repaired, and counts for nothing', async () => {
    const session = await start()
    await hang(session)
    const grading = evaluate(session)
    await delay(1_000)
    await (await probeOf(session)).kill()
    expect(refusal(await grading), lab.server.log()).toEqual([503, 'engine_unavailable'])
    expect(await counts(session)).toEqual([all, 0])
    await expect.poll(async () => (await evaluate(session)).status).toBe(200)
    expect(await counts(session), lab.server.log()).toEqual([all - 1, 0])
  })

  it('an engine that restarts counts for nothing', async () => {
    const session = await start()
    await hang(session)
    const grading = evaluate(session)
    await delay(1_000)
    await gateway.shut()
    expect(refusal(await grading)).toEqual([503, 'engine_unavailable'])
    await gateway.open()
    expect(await counts(session)).toEqual([all, 0])
    expect((await evaluate(session)).status).toBe(200)
  })
})

it('an engine that hangs counts for nothing, and is not waited for without end', async () => {
  const session = await start()
  await hang(session)
  const grading = evaluate(session)
  await delay(1_000)
  await gateway.shut()
  await gateway.open()
  gateway.bar()
  expect(refusal(await grading)).toEqual([503, 'engine_unavailable'])
  await gateway.shut()
  await gateway.open()
  expect(await counts(session)).toEqual([all, 0])
})

describe('in the sandbox', () => {
  it('a service that hangs fails its step, and costs an evaluation', async () => {
    const session = await start()
    await hang(session)
    expect(failing(await evaluate(session))).toContainEqual(expect.objectContaining({ name: 'service_recovered' }))
    expect(await counts(session)).toEqual([all - 1, 0])
  })

  it('so does one that has stopped', async () => {
    const session = await start()
    await exec(session, 'web', 'pkill -KILL nginx || true')
    await expect
      .poll(async () => (await containerOf({ sandbox: session.id, service: 'web' })).inspect().then(({ State }) => State.Running))
      .toBe(false)
    expect(failing(await evaluate(session))).toContainEqual({ name: 'topology_intact', passed: false, output: 'web is not running' })
    expect(await counts(session)).toEqual([all - 1, 0])
  })

  it('so does one that lies', async () => {
    const session = await start()
    const lie = 'server { listen 80; location / { return 200 "A page"; } }'
    await exec(session, 'web', `echo '${lie}' > /etc/nginx/conf.d/site.conf; nginx -s reload`)
    expect(failing(await evaluate(session))).toContainEqual(expect.objectContaining({ name: 'root_cause_removed' }))
    expect(await counts(session)).toEqual([all - 1, 0])
  })
})

describe('when no time is left', () => {
  const gradeWithin = async (session: SandboxSession, milliseconds: number) => {
    const { seed, baseline } = await rowOf(session)
    const instance = (await loadScenario(join(root, 'test/catalog/scenario-01'), 'scenario-01')).instantiate(seed)
    const deadline = startDeadline(milliseconds)
    const options = { deadline, clock: systemClock, loadSemaphore: <T>(work: () => Promise<T>) => work() }
    return grade(inside.engine, session.id, instance, readBaseline(baseline ?? ''), options)
      .then(({ checkpoints }) => checkpoints.map(({ name, output }) => `${name}: ${output}`).join('\n'), messageOf)
      .finally(deadline.end)
  }

  it('the step that was looked at fails, unless the machine is busy', async () => {
    const session = await start()
    await hang(session)
    expect(await gradeWithin(session, 1_000)).toMatch(/service_recovered: .* did not end within the 45 s|too slow to judge/)
    await slowDown(session, 0.01)
    expect(await gradeWithin(session, 1_000)).toMatch(/too slow to judge/)
  })
})

describe('after an upgrade', () => {
  const change = (session: SandboxSession, edit: (baseline: Record<string, unknown>) => unknown) =>
    inDatabase(lab.dataDir, (database) => {
      const { baseline } = database.prepare('SELECT baseline FROM sandbox WHERE id = ?').get(session.id) as { baseline: string }
      database.prepare('UPDATE sandbox SET baseline = ? WHERE id = ?').run(JSON.stringify(edit(JSON.parse(baseline))), session.id)
    })

  it.each<[string, (baseline: Record<string, unknown>) => unknown]>([
    ['recorded none of what is compared now', ({ takenAt, services, values }) => ({ takenAt, services, values })],
    [
      'had other programs to look with',
      (baseline) => ({ ...baseline, version: String(baseline.version).replace(/lab\/probe:\w+/, 'lab/probe:older') }),
    ],
  ])('a sandbox of a server that %s is told apart, and costs nothing', async (_, edit) => {
    const session = await start()
    change(session, edit)
    const refused = await evaluate(session)
    expect(refusal(refused)).toEqual([409, 'sandbox_outdated'])
    expect(refused.body.error.resolution_hint).toContain('start another sandbox')
    expect(refusal(await lab.call('POST', '/api/v1/sandbox/hint', { session_id: session.session_id }))).toEqual([409, 'sandbox_outdated'])
    expect(await counts(session)).toEqual([all, 0])
    await exec(session, 'ops', 'true')
  })
})
