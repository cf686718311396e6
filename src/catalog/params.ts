// Draws the parameters of a sandbox from its seed, so that sandboxes differ, and a seed reproduces one exactly.

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

export const drawParams = (seed: string, params: ScenarioFile['params']): Values =>
  Object.fromEntries(Object.entries(params).map(([name, param]) => [name, draw(seed, name, param)]))
