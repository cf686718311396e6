// Reads scenario.yaml and says exactly where it is wrong.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { drawParams } from './params.ts'
import { ScenarioFile } from './scenario-file.ts'
import { fill, namesIn } from './template.ts'

export interface Problem {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

export const describeProblem = ({ file, line, column, message }: Problem): string => `${file}:${line}:${column} ${message}`

export class ScenarioError extends Error {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'))
    this.name = 'ScenarioError'
    this.problems = problems
  }
}

export interface ScenarioSource {
  readonly file: string
  /** The document with the parameters of a seed filled in. */
  readonly concrete: (seed: string) => ScenarioFile
  readonly params: ScenarioFile['params']
  /** Where in the file a path of keys is. */
  readonly problemAt: (path: readonly PropertyKey[], message: string) => Problem
}

const ParamsOnly = z.object({ params: ScenarioFile.shape.params.optional() })
const duringProbes = (name: string, baselines: readonly string[]) =>
  name === 'nonce' || (name.startsWith('baseline.') && baselines.includes(name.slice('baseline.'.length)))

export const readScenario = async (folder: string): Promise<ScenarioSource> => {
  const file = join(folder, 'scenario.yaml')
  const lines = new LineCounter()
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines })
  const at = (offset: number, message: string): Problem => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col, message }
  }
  if (document.errors.length > 0)
    throw new ScenarioError(document.errors.map((error) => at(error.pos[0], error.message.split('\n')[0] ?? '')))

  const problemAt = (path: readonly PropertyKey[], message: string): Problem => {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined
      if (node?.range) return at(node.range[0], message)
    }
    return at(0, message)
  }
  const check = <T>(schema: z.ZodType<T>, value: unknown): T => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new ScenarioError(
      parsed.error.issues.map((issue) => {
        const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
        const path = unknown === undefined ? issue.path : [...issue.path, unknown]
        return problemAt(path, `${path.join('.') || 'document'}: ${unknown === undefined ? issue.message : 'is not a known key'}`)
      }),
    )
  }

  const raw: unknown = document.toJS()
  const params = check(ParamsOnly, raw).params ?? {}
  const concrete = (seed: string): ScenarioFile => check(ScenarioFile, fill(raw, drawParams(seed, params)))
  const sample = concrete('sample')
  const strays = namesIn(raw).filter(({ name }) => !Object.hasOwn(params, name) && !duringProbes(name, Object.keys(sample.baseline)))
  if (strays.length > 0)
    throw new ScenarioError(strays.map(({ name, path }) => problemAt(path, `{{${name}}} is neither a parameter, a baseline nor the nonce`)))
  return { file, concrete, params, problemAt }
}
