// Solutions and cheats: what to do in which service, and for a cheat the step that must catch it.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { stepNames } from '../contract/evaluation.ts'
import type { Scenario } from './scenario.ts'
import { fill } from './template.ts'

const Attempt = z.strictObject({
  description: z.string().min(1),
  steps: z.array(z.strictObject({ in: z.string(), run: z.string() })).min(1),
})
const Cheat = Attempt.extend({ fails: z.enum(stepNames) })

export type Attempt = z.infer<typeof Attempt> & { readonly name: string }
export type Cheat = z.infer<typeof Cheat> & { readonly name: string }

const readAll = async <T>(folder: string, schema: z.ZodType<T>): Promise<(T & { name: string })[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.yaml')).sort()
  return Promise.all(
    names.map(async (name) => {
      const parsed = schema.safeParse(parse(await readFile(join(folder, name), 'utf8')))
      if (!parsed.success)
        throw new Error(
          `${join(folder, name)}: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`,
        )
      return { ...parsed.data, name: name.replace(/\.yaml$/, '') }
    }),
  )
}

export const readSolutions = (scenario: Scenario): Promise<Attempt[]> => readAll(join(scenario.folder, 'solutions'), Attempt)
export const readCheats = (scenario: Scenario): Promise<Cheat[]> => readAll(join(scenario.folder, 'cheats'), Cheat)

/** The commands of an attempt for the parameters of one session. */
export const commandsOf = (attempt: Attempt, params: Readonly<Record<string, string | number>>): Attempt['steps'] =>
  fill(attempt.steps, params)
