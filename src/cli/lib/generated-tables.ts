// The tables of the documents that are generated from the data, each between two comments. `./lab lint --write-docs` writes them, and a
// test fails when one is stale.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadCatalog } from '../../catalog/catalog.ts'
import { allSettings, written } from '../../config.ts'
import { type Limit, limitDefinitions } from '../../contract/limits.ts'
import { dataStoreKinds } from '../../data-stores/data-store-kinds.ts'
import { errorColumns, errorRows } from '../../error-meanings.ts'
import { LabError } from '../../errors.ts'
import { probeKinds } from '../../probes/probe-kinds.ts'
import { classRows, scoreRows } from '../../proofs/changes/score.ts'
import { damageKinds } from '../../proofs/mutations/damage-kinds.ts'
import { readProofRecord } from '../../proofs/proof-record.ts'
import type { Setting } from '../../settings.ts'

export interface GeneratedTable {
  readonly file: string
  readonly name: string
  readonly text: string
}

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const mebibyte = 2 ** 20

/** A number of bytes as it is set, and as people say it. */
const bytes = (value: number): string => {
  const [size, unit] =
    value % 2 ** 30 === 0 ? [value / 2 ** 30, 'GiB'] : value % mebibyte === 0 ? [value / mebibyte, 'MiB'] : [value / 1024, 'KiB']
  return `${value} (${size} ${unit})`
}

const defaultOf = ({ schema, byDefault }: Setting): string => {
  if (byDefault !== undefined) return byDefault
  const value = schema.parse(undefined)
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none'
  return typeof value === 'number' ? String(value) : `\`${written(value)}\``
}

const limitDefault = ({ env, default: usual, byDefault = '' }: Limit): string => {
  if (typeof usual !== 'number') return byDefault
  return env.endsWith('_BYTES') ? bytes(usual) : String(usual)
}

const limits: readonly Limit[] = Object.values(limitDefinitions)

const settingsTable = () => {
  const isLimit = (env: string) => limits.some((limit) => limit.env === env)
  const rows = allSettings.filter(({ env }) => !isLimit(env)).map((setting) => [`\`${setting.env}\``, defaultOf(setting), setting.means])
  return table(['name', 'default', 'what it is'], rows)
}

const limitsTable = () =>
  table(
    ['name', 'default', 'what it is', 'in `GET /settings/public`'],
    limits.map((limit) => [`\`${limit.env}\``, limitDefault(limit), limit.means, limit.public === undefined ? '' : `\`${limit.public}\``]),
  )

const probesTable = () =>
  table(
    ['probe', 'looks at', 'from where'],
    [...probeKinds].map(([name, { looksAt, from }]) => [`\`${name}\``, looksAt, from]),
  )

const dataStoresTable = () =>
  table(
    ['data store', 'what is seen to'],
    [...dataStoreKinds].map(([name, { seesTo }]) => [`\`${name}\``, seesTo]),
  )

/** Every table, as it must be now. */
export const generatedTables = async (root: string): Promise<GeneratedTable[]> => {
  const { scenarios } = await loadCatalog(join(root, 'scenarios'))
  const courses = scenarios.map(({ detail }) => detail)
  const proofs = new Map(await Promise.all(scenarios.map(async (scenario) => [scenario.id, await readProofRecord(scenario)] as const)))
  return [
    {
      file: 'README.md',
      name: 'courses',
      text: table(
        ['course', 'what is wrong', 'domain', 'tier', 'minutes'],
        courses.map(({ id, title, domain, tier, duration_minutes: minutes }) => [`\`${id}\``, title, domain, tier, String(minutes)]),
      ),
    },
    {
      file: 'docs/courses.md',
      name: 'courses',
      text: table(
        ['course', 'what is wrong', 'domain, tier, minutes', 'built of', 'teaches to'],
        courses.map(({ id, title, domain, tier, duration_minutes: minutes, stack, learning_objectives: objectives }) => [
          `\`${id}\``,
          title,
          `${domain}, ${tier}, ${minutes}`,
          stack.join(', '),
          objectives.join('<br>'),
        ]),
      ),
    },
    { file: 'docs/api.md', name: 'errors', text: table(errorColumns, errorRows()) },
    { file: 'docs/operations.md', name: 'settings', text: settingsTable() },
    { file: 'docs/operations.md', name: 'limits', text: limitsTable() },
    { file: 'docs/authoring.md', name: 'probes', text: probesTable() },
    { file: 'docs/authoring.md', name: 'data stores', text: dataStoresTable() },
    {
      file: 'docs/grading.md',
      name: 'scores',
      text: table(['course', 'mutation score', 'equivalent mutants', 'fairness'], scoreRows(proofs)),
    },
    {
      file: 'docs/grading.md',
      name: 'classes',
      text: table(['class', 'what is done', 'found'], classRows(damageKinds, proofs.values())),
    },
  ]
}

/** A document with a table in its place. */
export const withTable = (document: string, { file, name, text }: GeneratedTable): string => {
  const [opening, closing] = [`<!-- ${name}: made by ./lab lint --write-docs -->`, `<!-- /${name} -->`]
  const [begin, end] = [document.indexOf(opening), document.indexOf(closing)]
  if (begin < 0 || end < begin) throw new LabError('not_found', `${file} has no ${opening} followed by ${closing}`)
  return `${document.slice(0, begin + opening.length)}\n\n${text}\n\n${document.slice(end)}`
}

/** The tables that are not what the data says, as problems for lint. */
export const staleTables = async (root: string): Promise<string[]> => {
  const checked = (await generatedTables(root)).map(async (generated) => {
    const document = await readFile(join(root, generated.file), 'utf8')
    return withTable(document, generated) === document
      ? []
      : [`${generated.file}:1:1 the table of ${generated.name} is stale: ./lab lint --write-docs`]
  })
  return (await Promise.all(checked)).flat()
}

export const writeTables = async (root: string): Promise<void> => {
  for (const generated of await generatedTables(root)) {
    const path = join(root, generated.file)
    await writeFile(path, withTable(await readFile(path, 'utf8'), generated))
  }
}
