import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadScenario, type Scenario } from '../catalog/scenario.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { isLabError } from '../errors.ts'
import { Baseline, versionIn } from './baseline.ts'
import { baselineForm, baselineVersion, requireVersion } from './baseline-version.ts'
import { linesKept } from './settings-files.ts'

const engine = { observers: async () => 'lab/probe:one' }
const newer = { observers: async () => 'lab/probe:two' }
let scenario: Scenario
let instance: ScenarioInstance
let version: string

beforeAll(async () => {
  scenario = await loadScenario(join(import.meta.dirname, '../../scenarios/scenario-11'), 'scenario-11')
  instance = scenario.instantiate('a')
  version = await baselineVersion(engine, instance)
})

const isOutdated = (recorded: string, by = engine, now = instance) =>
  requireVersion(recorded, by, now).then(
    () => false,
    (error: unknown) => isLabError(error, 'sandbox_outdated'),
  )

it('is the same for the same seed, on every server of one version', async () => {
  expect(await isOutdated(version, engine, scenario.instantiate('a'))).toBe(false)
  expect(await isOutdated(version, engine, { ...instance, hints: [], breaks: [] })).toBe(false)
})

describe('a sandbox is outdated', () => {
  it.each<[string, (instance: ScenarioInstance) => Partial<ScenarioInstance>]>([
    ['a file of a machine', ({ topology: { services, ...rest } }) => ({ topology: { ...rest, services: services.slice(1) } })],
    ['the fault', ({ fault }) => ({ fault: fault.slice(1) })],
    ['what a repair may change', ({ guards }) => ({ guards: { ...guards, issuer: { ...guards.issuer, settings: {} } as never } })],
    ['which record is a test', () => ({ records: [{ tests: /test-.*/ }] as never })],
  ])('where the course has changed: %s', async (_, changed) => {
    expect(await isOutdated(version, engine, { ...instance, ...changed(instance) })).toBe(true)
  })

  it('where other programs observe it', async () => {
    expect(await isOutdated(version, newer)).toBe(true)
  })

  it('where its baseline has no version: it is older than versions', async () => {
    expect(await isOutdated(versionIn('{"takenAt":1,"services":{},"values":{},"stores":{}}'))).toBe(true)
  })
})

/**
 * What a baseline of the present form is: when this fails, count up `baselineForm` and write the new hash beside it. Otherwise a sandbox
 * that an older server has built would be compared with what that server did not record.
 */
it('counts the form of baselines', () => {
  const kept = linesKept('# -*- coding: latin-1 -*-\n a   b \n\n# note\nretries 2\nretries 2 # why\nx', 'retries \\d+')
  const form = createHash('sha256')
    .update(JSON.stringify([z.toJSONSchema(Baseline, { io: 'input' }), kept]))
    .digest('hex')
    .slice(0, 12)
  expect([baselineForm, form]).toEqual([2, '808afd8c02a8'])
})
