// What a baseline was recorded with: the form of baselines, the programs that look at a sandbox, and what its course says of it. A sandbox
// outlives its server, and what was recorded in other terms cannot be compared with what is seen now.

import { createHash } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import type { Engine } from '../engine/engine.ts'
import { isLabError, LabError } from '../errors.ts'

/** Counted up whenever a baseline holds something else, or its values are made in another way (baseline-version.test.ts). */
export const baselineForm = 2

const hashOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex').slice(0, 16)

/** Regular expressions are nothing in JSON, and files would be long. */
const inJson = (_: string, value: unknown): unknown => (value instanceof RegExp ? String(value) : value)

/** What grading does with a sandbox: the present ways are good for an older one of the same system, too. */
const ofGrading: readonly (keyof ScenarioInstance)[] = ['steps', 'load', 'killed', 'writers', 'hints', 'breaks']

/** All that a sandbox is built from and described by. */
const contentOf = (instance: ScenarioInstance): string => {
  const described = Object.entries(instance).filter(([key]) => !ofGrading.includes(key as keyof ScenarioInstance))
  const services = instance.topology.services.map((service) => ({
    ...service,
    files: service.files.map(({ path, executable, content }) => [path, executable, hashOf(content)]),
  }))
  return JSON.stringify({ ...Object.fromEntries(described), topology: { ...instance.topology, services } }, inJson)
}

/** Two baselines with the same version can be compared. */
export const baselineVersion = async (engine: Pick<Engine, 'observers'>, instance: ScenarioInstance): Promise<string> =>
  [baselineForm, await engine.observers(), hashOf(contentOf(instance))].join(' ')

const outdated = (): LabError =>
  new LabError(
    'sandbox_outdated',
    'the service or the course was changed since this sandbox was started, so it cannot be graded any more',
    {
      hint: 'start another sandbox; this costs no evaluation, and what you have in this one stays until it ends',
    },
  )

/** The instance of a sandbox with that seed. Throws sandbox_outdated where the course is gone. */
export const instanceOf = (catalog: Catalog, courseId: string, seed: string): ScenarioInstance => {
  try {
    return catalog.find(courseId).instantiate(seed)
  } catch (error) {
    throw isLabError(error, 'not_found') ? outdated() : error
  }
}

/** Throws sandbox_outdated where a baseline was recorded with something else than this server would use. */
export const requireVersion = async (version: string, engine: Pick<Engine, 'observers'>, instance: ScenarioInstance): Promise<void> => {
  if (version !== (await baselineVersion(engine, instance))) throw outdated()
}
