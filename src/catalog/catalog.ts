// The catalog: every scenario folder that is sound, and its public face. Knows no engine at work and no store.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CourseList, CourseListQuery } from '../contract/course.ts'
import { LabError, messageOf } from '../errors.ts'
import { loadScenario, type Scenario } from './scenario.ts'

export interface Catalog {
  readonly scenarios: readonly Scenario[]
  /** Folders that were left out, each with its reason. */
  readonly problems: readonly string[]
  /** Throws not_found. */
  find(id: string): Scenario
  /** Throws invalid_request for a cursor that is not of this list. */
  list(query: CourseListQuery): CourseList
}

export const scenarioNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

interface Cursor {
  readonly after: string
  readonly tier?: string
  readonly domain?: string
}

const encode = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url')

const decode = (text: string, query: CourseListQuery): string => {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor
    if (typeof cursor.after === 'string' && cursor.tier === query.tier && cursor.domain === query.domain) return cursor.after
  } catch {
    // falls through to the one error that there is
  }
  throw new LabError('invalid_request', 'cursor: is not one of this list', {
    hint: 'take next_cursor of the page before, with the same filters',
  })
}

export const loadCatalog = async (folder: string): Promise<Catalog> => {
  const names = await scenarioNames(folder)
  const loaded = await Promise.allSettled(names.map((name) => loadScenario(join(folder, name), name)))
  const scenarios = loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const problems = loaded.flatMap((result, index) => (result.status === 'rejected' ? [`${names[index]}: ${messageOf(result.reason)}`] : []))
  const byId = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  return {
    scenarios,
    problems,
    find: (id) => {
      const scenario = byId.get(id)
      if (scenario === undefined) throw new LabError('not_found', `there is no course ${id}`, { hint: 'scenario-01 is the default course' })
      return scenario
    },
    list: (query) => {
      const matching = scenarios
        .map((scenario) => scenario.course)
        .filter((course) => (query.tier ?? course.tier) === course.tier && (query.domain ?? course.domain) === course.domain)
      const after = query.cursor === undefined ? '' : decode(query.cursor, query)
      const rest = matching.filter((course) => course.id > after)
      const items = rest.slice(0, query.limit)
      const has_more = rest.length > items.length
      const last = items.at(-1)?.id ?? ''
      const filters = {
        ...(query.tier === undefined ? {} : { tier: query.tier }),
        ...(query.domain === undefined ? {} : { domain: query.domain }),
      }
      return { items, has_more, next_cursor: has_more ? encode({ after: last, ...filters }) : null, total_count: matching.length }
    },
  }
}
