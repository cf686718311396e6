// The examples as they are kept: secrets, ids and times of a run replaced by fixed ones; and the shape of an example, to compare two runs.

import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { readConfig } from '../../src/config.ts'
import { limitDefinitions } from '../../src/contract/limits.ts'
import { publicLimitsOf } from '../../src/contract/public-limits.ts'
import { type Examples, rootPlaceholder } from '../../src/http/documents/examples.ts'
import { toBase32 } from '../../src/ids.ts'

/** When the examples happened. */
const epoch = Date.parse('2026-11-15T12:00:00.000Z')

/** The limits of an installation with default settings on a machine of this size. */
const usualLimits = () => {
  const { rates, ...values } = readConfig({}).limits
  const capacity = limitDefinitions.capacity.default({ memoryBytes: 32 * 2 ** 30, cores: 8 })
  return { ...publicLimitsOf({ ...values, capacity }), requests_per_minute: rates }
}

const fakeToken = `ilab_pat_${'EXAMPLE'.repeat(5)}abc`
const fakeId = (index: number) => toBase32(createHash('sha256').update(`example ${index}`).digest().subarray(0, 10))

/** Every random id of the run, in the order in which it appears. */
const idsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/(?<![0-9a-z])(?=[a-z]*[0-9])[0-9a-hjkmnp-tv-z]{16}(?![0-9a-z])/g)].map(([id]) => id)),
]

/** What an example file may hold of a run. */
export const normalised = (examples: Examples, publicUrl: string): Examples => {
  let text = JSON.stringify(examples)
  text = text
    .replace(/#(ticket|invitation)=[\w.-]+/g, '#$1=EXAMPLE-of-a-secret')
    .replace(/"ticket":"[^"]+"/g, '"ticket":"EXAMPLE-of-a-ticket"')
    .replace(/ilab_lab_[\w-]{43}/g, 'ilab_lab_EXAMPLE')
  text = text.replace(/([0-9a-z]{16})\.[0-9a-z]{32}(?![0-9a-z])/g, `$1.EXAMPLE${'-EXAMPLE'.repeat(3)}`)
  text = text.replace(/ilab_pat_\w{38}/g, fakeToken).replace(/"last_four":"\w{4}"/g, `"last_four":"${fakeToken.slice(-4)}"`)
  for (const [index, id] of idsIn(text).entries()) text = text.replaceAll(id, fakeId(index))
  text = text.replaceAll(JSON.stringify(hostname()), '"lab-1"').replace(/"code":"[\w-]{30,}"/g, '"code":"EXAMPLE-of-a-one-time-code"')
  // Documents name no host but the one that was asked.
  text = text
    .replaceAll(publicUrl, rootPlaceholder)
    .replace(/http:\/\/127\.0\.0\.1:\d+\/(?:portal|pay)\/\w+/g, `${rootPlaceholder}/EXAMPLE-of-a-page`)
  text = text.replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"EXAMPLE-of-an-opaque-cursor"')
  const times = [...text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g)].map(([time]) => Date.parse(time))
  const shift = epoch - Math.floor(Math.min(...times) / 1000) * 1000
  text = text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => new Date(Date.parse(time) + shift).toISOString())
  text = text.replace(/(\\"timestamp\\": ?)(\d+)/g, (_, name: string, seconds: string) => `${name}${Number(seconds) + shift / 1000}`)
  const made = JSON.parse(text)
  // The limits of the test are not those of an installation.
  Object.assign(made.operations.readSettings.responses['200'].limits, usualLimits())
  return made
}

/** Objects whose keys are data. */
const maps = new Set(['warm', 'details', 'by_status', 'by_account', 'by_node'])

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The ways to every field; elements of a list count as one. */
export const shapeOf = (value: unknown, way = ''): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap((part) => shapeOf(part, `${way}[]`)))].sort()
  if (!isObject(value)) return []
  return Object.entries(value)
    .flatMap(([key, part]) => [`${way}.${key}`, ...(maps.has(key) ? [] : shapeOf(part, `${way}.${key}`))])
    .sort()
}
