// Reads scenarios without running them: file:line:column for everything that is wrong.

import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { loadCatalog, scenarioFolders } from '../catalog/catalog.ts'
import { contentJsonSchemas, loadContent } from '../catalog/content.ts'
import { lintScenario } from '../catalog/lint.ts'
import { scenarioJsonSchema } from '../catalog/scenario-file.ts'
import { readConfig } from '../config.ts'
import { LabError, messageOf } from '../errors.ts'
import { catalogFoldersOf, root } from '../project-folders.ts'
import { describeMeasures } from '../proofs/changes/score.ts'
import { lintDeclarations } from '../proofs/mutations/mutants-file.ts'
import { changeSince, proofContentOf, readProofRecord } from '../proofs/proof-record.ts'
import { staleTables, writeTables } from './lib/generated-tables.ts'
import { pluralize } from './lib/pluralize.ts'
import type { Verb } from './main.ts'

const folder = join(root, 'scenarios')
const contentFolder = join(root, 'content')

/** Every JSON Schema that editors complete from, by its path. */
export const schemaFiles = (): Record<string, unknown> => ({
  [join(folder, 'scenario.schema.json')]: scenarioJsonSchema(),
  ...Object.fromEntries(Object.entries(contentJsonSchemas()).map(([name, schema]) => [join(contentFolder, name), schema])),
})

const lintContent = async (): Promise<string[]> => {
  try {
    await loadContent(contentFolder)
    return []
  } catch (error) {
    return messageOf(error).split('\n')
  }
}

/** Proofs that say less than they seem to, and how well grading was measured: no problems, but whoever publishes it wants to know. */
const notesOn = async (names: readonly string[]): Promise<string[]> => {
  const { scenarios, drafts } = await loadCatalog(...catalogFoldersOf(readConfig()))
  const wanted = [...scenarios, ...drafts].filter(({ id }) => names.includes(id))
  const notes = wanted.map(async (scenario) => {
    const [proof, now] = [await readProofRecord(scenario), await proofContentOf(root, scenario)]
    const reason = changeSince(proof, now)
    const stale = reason === null ? [] : [`${reason}: ./lab prove --changed`]
    return [...stale, ...describeMeasures(proof, now)].map((note) => `${scenario.id}: ${note}`)
  })
  return (await Promise.all(notes)).flat()
}

const lintFolder = async (folder: string, name: string): Promise<string[]> => [
  ...(await lintScenario(folder, name)),
  ...(await lintDeclarations(folder)),
]

export const verb: Verb = (program) => {
  program
    .command('lint [scenarios...]')
    .description('check scenarios and report every problem')
    .option('--write-schema', 'write the JSON Schemas for completion in editors')
    .option('--write-docs', 'write the tables of the documents that are made from the data')
    .action(async (names: string[], options: { writeSchema?: boolean; writeDocs?: boolean }) => {
      if (options.writeSchema) {
        for (const [file, schema] of Object.entries(schemaFiles())) await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`)
      }
      if (options.writeDocs) await writeTables(root)
      const there = await scenarioFolders(catalogFoldersOf(readConfig()))
      const missing = names.find((name) => !there.has(name))
      if (missing !== undefined)
        throw new LabError('not_found', `there is no scenario ${missing}; there are ${[...there.keys()].join(', ')}`)
      const wanted = [...there].filter(([name]) => names.length === 0 || names.includes(name))
      const scenarios = (await Promise.all(wanted.map(([name, folder]) => lintFolder(folder, name)))).flat()
      const problems = names.length > 0 ? scenarios : [...scenarios, ...(await lintContent()), ...(await staleTables(root))]
      for (const problem of problems) console.log(relative(process.cwd(), problem) || problem)
      console.log(
        problems.length === 0 ? `${pluralize(wanted.length, 'scenario')}, no problems.` : `${pluralize(problems.length, 'problem')}.`,
      )
      if (problems.length === 0) for (const note of await notesOn(wanted.map(([name]) => name))) console.log(note)
      process.exitCode = problems.length === 0 ? 0 : 1
    })
}
