// Solutions and cheats: what to do in which service, and for a cheat the step that must catch it.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { stepNames } from '../contract/evaluation.ts'
import type { Scenario } from './scenario.ts'
import { fill } from './template.ts'
import { readYaml, type YamlSource } from './yaml-source.ts'

const Attempt = z.strictObject({
  description: z.string().min(1),
  steps: z.array(z.strictObject({ in: z.string(), run: z.string() })).min(1),
})
const Cheat = Attempt.extend({ fails: z.enum(stepNames) })

type Written = { readonly name: string; readonly problemAt: YamlSource['problemAt'] }
export type Attempt = z.infer<typeof Attempt> & Written
export type Cheat = z.infer<typeof Cheat> & Written

/** Throws SourceError. */
const readAll = async <T>(folder: string, schema: z.ZodType<T>): Promise<(T & Written)[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.yaml')).sort()
  return Promise.all(
    names.map(async (name) => {
      const { raw, check, problemAt } = await readYaml(join(folder, name))
      return { ...check(schema, raw), name: name.replace(/\.yaml$/, ''), problemAt }
    }),
  )
}

export const readSolutions = (scenario: Scenario): Promise<Attempt[]> => readAll(join(scenario.folder, 'solutions'), Attempt)
export const readCheats = (scenario: Scenario): Promise<Cheat[]> => readAll(join(scenario.folder, 'cheats'), Cheat)

/** The commands of an attempt for the parameters of one session. */
export const commandsOf = (attempt: Pick<Attempt, 'steps'>, params: Readonly<Record<string, string | number>>): Attempt['steps'] =>
  fill(attempt.steps, params)
