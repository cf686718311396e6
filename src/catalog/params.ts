// Draws the parameters of a sandbox from its seed, so that sandboxes differ, and a seed reproduces one exactly. Says which are secrets.

import { createHmac } from 'node:crypto'
import type { ScenarioFile } from './scenario-file.ts'
import type { Values } from './template.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'

type Param = ScenarioFile['params'][string]

const draw = (seed: string, name: string, param: Param): string | number => {
  const bytes = createHmac('sha512', seed).update(name).digest()
  const number = bytes.readUInt32BE()
  if ('int' in param) {
    const [low, high] = param.int
    return low + (number % (high - low + 1))
  }
  if ('hex' in param) return bytes.toString('hex').slice(0, param.hex)
  if ('word' in param) return Array.from(bytes.subarray(0, param.word), (byte) => letters[byte % letters.length]).join('')
  return param.pick[number % param.pick.length] as string | number
}

/** A parameter that nobody else should read. */
export interface Secret {
  readonly name: string
  readonly value: string
}

export const secretsOf = (params: ScenarioFile['params'], values: Values): Secret[] =>
  Object.entries(params).flatMap(([name, param]) =>
    'secret' in param && param.secret === true ? [{ name, value: String(values[name]) }] : [],
  )

const secretName = /passw|secret|token|(^|_)(pw|key|seed)(_|$)/

/** Those that are called like secrets, where the scenario does not say whether they are. */
export const undecidedSecrets = (params: ScenarioFile['params']): string[] =>
  Object.entries(params).flatMap(([name, param]) =>
    ('hex' in param || 'word' in param) && param.secret === undefined && secretName.test(name) ? [name] : [],
  )

export const drawParams = (seed: string, params: ScenarioFile['params']): Values =>
  Object.fromEntries(Object.entries(params).map(([name, param]) => [name, draw(seed, name, param)]))
