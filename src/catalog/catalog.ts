// The catalog: loads every valid scenario folder. Knows neither a running engine nor the store.

import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { closestWords } from '../closest-word.ts'
import { defaultCourseId } from '../contract/course.ts'
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

const foldersIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    throw new LabError('invalid_request', `the scenarios in ${folder} cannot be read: ${error.message}`, { cause: error })
  })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
}

/** Every scenario's folder, by its name. A folder that comes later replaces what has the same name. */
export const scenarioFolders = async (catalogFolders: readonly string[]): Promise<Map<string, string>> => {
  const found = (await Promise.all(catalogFolders.map(foldersIn))).flat()
  const byName = new Map(found.map((folder) => [basename(folder), folder]))
  return new Map([...byName].sort(([one], [other]) => (one < other ? -1 : 1)))
}

const unknownCourse = (id: string, offered: readonly Scenario[]): LabError => {
  const near = closestWords(
    id,
    offered.map((scenario) => scenario.id),
  )
  const suggestion = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
  return new LabError('not_found', `there is no course ${id}${suggestion}`, {
    hint: `GET /courses lists all; ${defaultCourseId} is the default course`,
  })
}

export const loadCatalog = async (...catalogFolders: readonly string[]): Promise<Catalog> => {
  const folders = [...(await scenarioFolders(catalogFolders))]
  const loaded = await Promise.allSettled(folders.map(([name, folder]) => loadScenario(folder, name)))
  const sound = loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const problems = loaded.flatMap((result, index) =>
    result.status === 'rejected' ? [`${folders[index]?.[0]}: ${messageOf(result.reason)}`] : [],
  )
  const byId = new Map(sound.map((scenario) => [scenario.id, scenario]))
  const offered = sound.filter(({ proven }) => proven)
  return {
    scenarios: offered,
    drafts: sound.filter(({ proven }) => !proven),
    problems,
    find: (id) => {
      const scenario = byId.get(id)
      if (scenario === undefined) throw unknownCourse(id, offered)
      return scenario
    },
  }
}
