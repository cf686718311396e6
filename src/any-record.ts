// A record whose keys somebody else chose: a customer of a sandbox, or whoever has root in it. z.record leaves out a key `__proto__`, and
// what it returns seems to hold `constructor`.

import { z } from 'zod'

/** Before each key while it is parsed, so that none is `__proto__`. */
const mark = '='

const marked = (given: unknown): unknown =>
  typeof given !== 'object' || given === null || Array.isArray(given)
    ? given
    : Object.fromEntries(Object.entries(given).map(([key, value]) => [mark + key, value]))

const unmarked = <Value>(found: Readonly<Record<string, Value>>): Record<string, Value> => {
  const record: Record<string, Value> = Object.create(null)
  for (const [key, value] of Object.entries(found)) record[key.slice(mark.length)] = value
  return record
}

/** Every key of the object is in the result, and nothing else is. */
export const anyRecord = <Value extends z.ZodType>(value: Value) => z.preprocess(marked, z.record(z.string(), value)).transform(unmarked)
