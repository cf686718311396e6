// Solutions and cheats: what to do in which service, and for a cheat the step that must catch it.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { stepNames } from '../contract/evaluation.ts'
import type { Scenario } from './scenario.ts'
import { fill } from './template.ts'
import { readYaml, SourceError, type YamlSource } from './yaml-source.ts'

const Step = z.strictObject({ in: z.union([z.string(), z.array(z.string()).min(1)]), run: z.string() })
const Solution = z.strictObject({ description: z.string().min(1), steps: z.array(Step).min(1) })
const Cheat = Solution.extend({ after: z.string().optional(), fails: z.enum(stepNames) })

type Written = { readonly name: string; readonly problemAt: YamlSource['problemAt'] }
export type Solution = z.infer<typeof Solution> & Written
/** A solution, or what is done after one. */
export type Attempt = Solution & { readonly after?: Solution }
export type Cheat = Attempt & Pick<z.infer<typeof Cheat>, 'fails'>

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

export const readSolutions = (scenario: Scenario): Promise<Solution[]> => readAll(join(scenario.folder, 'solutions'), Solution)

/** Throws SourceError. */
export const readCheats = async (scenario: Scenario, solutions: readonly Solution[]): Promise<Cheat[]> =>
  (await readAll(join(scenario.folder, 'cheats'), Cheat)).map(({ after, ...cheat }) => {
    if (after === undefined) return cheat
    const solution = solutions.find(({ name }) => name === after)
    if (solution === undefined) throw new SourceError([cheat.problemAt(['after'], `there is no solution ${after}`)])
    return { ...cheat, after: solution }
  })

/** The commands of an attempt for the parameters of one session. */
export const commandsOf = (attempt: Attempt, params: Readonly<Record<string, string | number>>): { in: string; run: string }[] => {
  const steps = [...(attempt.after?.steps ?? []), ...attempt.steps]
  return fill(steps, params).flatMap(({ in: services, run }) => [services].flat().map((service) => ({ in: service, run })))
}
