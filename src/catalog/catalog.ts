// The catalog: loads every valid scenario folder. Knows neither a running engine nor the store.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LabError, messageOf } from '../errors.ts'
import { loadScenario, type Scenario } from './scenario.ts'

export interface Catalog {
  /** What is offered: everything that was proven. */
  readonly scenarios: readonly Scenario[]
  /** What was never proven; its author can start it by its id. */
  readonly drafts: readonly Scenario[]
  /** Folders that were left out, each with its reason. */
  readonly problems: readonly string[]
  /** Throws not_found. */
  find(id: string): Scenario
}

export const scenarioNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

export const loadCatalog = async (folder: string): Promise<Catalog> => {
  const names = await scenarioNames(folder)
  const loaded = await Promise.allSettled(names.map((name) => loadScenario(join(folder, name), name)))
  const sound = loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const problems = loaded.flatMap((result, index) => (result.status === 'rejected' ? [`${names[index]}: ${messageOf(result.reason)}`] : []))
  const byId = new Map(sound.map((scenario) => [scenario.id, scenario]))
  return {
    scenarios: sound.filter(({ proven }) => proven),
    drafts: sound.filter(({ proven }) => !proven),
    problems,
    find: (id) => {
      const scenario = byId.get(id)
      if (scenario === undefined) throw new LabError('not_found', `there is no course ${id}`, { hint: 'scenario-01 is the default course' })
      return scenario
    },
  }
}
