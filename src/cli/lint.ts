// Reads scenarios without running them: file:line:column for everything that is wrong.

import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { scenarioNames } from '../catalog/catalog.ts'
import { lintScenario } from '../catalog/lint.ts'
import { scenarioJsonSchema } from '../catalog/scenario-file.ts'
import type { Verb } from './main.ts'

const folder = join(import.meta.dirname, '../../scenarios')
export const schemaFile = join(folder, 'scenario.schema.json')

export const verb: Verb = (program) => {
  program
    .command('lint [scenarios...]')
    .description('read scenarios and name everything that is wrong with them')
    .option('--write-schema', 'write scenarios/scenario.schema.json, which editors complete from')
    .action(async (names: string[], options: { writeSchema?: boolean }) => {
      if (options.writeSchema) await writeFile(schemaFile, `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`)
      const wanted = names.length > 0 ? names : await scenarioNames(folder)
      const problems = (await Promise.all(wanted.map((name) => lintScenario(join(folder, name), name)))).flat()
      for (const problem of problems) console.log(relative(process.cwd(), problem) || problem)
      console.log(problems.length === 0 ? `${wanted.length} scenarios are sound.` : `${problems.length} problems.`)
      process.exitCode = problems.length === 0 ? 0 : 1
    })
}
