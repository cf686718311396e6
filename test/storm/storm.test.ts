// Root in every container of a sandbox runs programs that try to deceive, block or crash inspectors. Meanwhile a neighbour is started,
// used, graded, measured and stopped: nothing of the service fails, and the hostile sandbox never gets a score of 100.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Container } from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { Evaluation } from '../../src/contract/evaluation.ts'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { labelFilter } from '../../src/engine/docker/labels.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { inspectorPrograms } from '../support/inspector-programs.ts'
import { createRandom, seedsOf } from '../support/random.ts'
import { type Lab, startLab } from '../support/server.ts'
import { repair, startSandbox } from '../support/solve.ts'
import { deep } from '../support/test-mode.ts'

const program = readFileSync(join(import.meta.dirname, 'storm.pl'), 'utf8')
const machines = ['ops', 'web', 'app', 'db'] as const
const rounds = deep ? 3 : 1
const enough = 2 ** 30

describe.each(seedsOf(deep ? 10 : 1))('seed %i', (seed) => {
  const random = createRandom(seed)
  let lab: Lab
  let inside: Installation
  let storm: SandboxSession

  const start = () => startSandbox(lab)
  const exec = (session: SandboxSession, container: string, command: string, stdin = '') =>
    lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, container, command, stdin, timeout_seconds: 20 })
  const grade = (session: SandboxSession) => lab.call('POST', '/api/v1/sandbox/eval', { session_id: session.session_id })

  beforeAll(async () => {
    lab = await startLab({ LAB_ACCOUNT_SANDBOXES: '3', LAB_EVALUATION_SPACING_SECONDS: '0' })
    inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
    storm = await start()
    await repair(lab, storm) // so that only the storm itself can fail it
    const unleash = 'cat > /tmp/.storm; setsid perl /tmp/.storm "$@" > /dev/null 2>&1 < /dev/null &'
    for (const machine of machines) {
      const answer = await exec(storm, machine, `set -- ${random.below(2 ** 31)} 10; ${unleash}`, program)
      expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { exit_code: 0 } })
    }
  })
  afterAll(async () => {
    await inside?.store.close()
    await lab?.close()
  })

  it('blows in every machine, or has ended it', async () => {
    const isRunning = async (container: Container) => (await container.inspect()).State.Running
    const processes = async (container: Container) => (await container.stats({ stream: false })).pids_stats?.current ?? 0
    const all = machines.map((machine) => inside.docker.getContainer(`${machine}-${storm.id}`))
    const blows = async (container: Container) => !(await isRunning(container)) || (await processes(container)) > 8
    for (const container of all) await expect.poll(() => blows(container)).toBe(true)
    const running = await Promise.all(all.map(isRunning))
    expect(running.filter((runs) => runs).length).toBeGreaterThan(1) // a machine that takes too much of the kernel's memory is ended
  })

  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'leaves a neighbour to be started, used, graded 100, measured and stopped (round %i)',
    async () => {
      const verdicts = Array.from({ length: 2 }, () => grade(storm))
      const neighbour = await start()
      expect((await exec(neighbour, 'ops', 'echo here')).body).toMatchObject({ stdout: 'here\n', exit_code: 0 })
      await repair(lab, neighbour)
      const answer = await grade(neighbour)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      const { passed, score, checkpoints } = Evaluation.parse(answer.body)
      expect(checkpoints.filter((checkpoint) => !checkpoint.passed)).toEqual([])
      expect([passed, score]).toEqual([true, 100])

      const meter = inside.engine.openDiskMeter()
      const { uses, roughBecause } = await meter.measure(enough)
      await meter.close()
      expect(roughBecause).toBeNull()
      expect(uses.get(neighbour.id)).toMatchObject({ hides: false, bytes: expect.any(Number) })

      for (const verdict of await Promise.all(verdicts)) {
        if (verdict.status === 200) expect(Evaluation.parse(verdict.body)).toMatchObject({ passed: false })
        else expect([409, 429, 500]).toContain(verdict.status)
      }
      const stopped = await lab.call('POST', '/api/v1/sandbox/stop', { session_id: neighbour.session_id })
      expect(stopped.status).toBe(200)
      await expect.poll(async () => (await inside.engine.list()).map(({ id }) => id)).not.toContain(neighbour.id)
    },
    300_000,
  )

  it('leaves the service well, and nothing of ours behind', async () => {
    expect(await lab.call('GET', '/api/v1/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
    const { docker, store, engine } = inside
    const looking = async () => (await inspectorPrograms(docker, store.installation)).looking
    await expect.poll(looking).toEqual([])
    const helpers = () => docker.listContainers({ all: true, filters: labelFilter({ installation: store.installation, role: 'helper' }) })
    await expect.poll(helpers).toEqual([])
    await lab.call('POST', '/api/v1/sandbox/stop', { session_id: storm.session_id })
    await expect.poll(() => engine.list()).toEqual([])
  }, 180_000)
})
