// Reads scenario.yaml and reports the exact position of every error.

import { join } from 'node:path'
import { z } from 'zod'
import { drawParams } from './params.ts'
import { ScenarioFile } from './scenario-file.ts'
import { fill, namesIn } from './template.ts'
import { type Problem, readYaml, SourceError } from './yaml-source.ts'

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
  const { raw, problemAt, check } = await readYaml(file)
  const params = check(ParamsOnly, raw).params ?? {}
  const concrete = (seed: string): ScenarioFile => check(ScenarioFile, fill(raw, drawParams(seed, params)))
  const sample = concrete('sample')
  const strays = namesIn(raw).filter(({ name }) => !Object.hasOwn(params, name) && !duringProbes(name, Object.keys(sample.baseline)))
  if (strays.length > 0)
    throw new SourceError(strays.map(({ name, path }) => problemAt(path, `{{${name}}} is neither a parameter, a baseline nor the nonce`)))
  return { file, concrete, params, problemAt }
}
