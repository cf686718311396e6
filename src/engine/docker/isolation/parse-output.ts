// Parses what the programs of the isolation check print: JSON objects among other lines. The output comes from inside a sandbox,
// so each object is checked against a schema.

import type { z } from 'zod'

/** The last line that matches the schema; null where there is none. */
export const parseOutput = <T>(output: string, schema: z.ZodType<T>): T | null => {
  for (const line of output.split('\n').reverse()) {
    const start = line.indexOf('{"')
    if (start < 0) continue
    try {
      const found = schema.safeParse(JSON.parse(line.slice(start)))
      if (found.success) return found.data
    } catch {
      // not this line
    }
  }
  return null
}

export const requireOutput = <T>(output: string, schema: z.ZodType<T>): T => {
  const found = parseOutput(output, schema)
  if (found === null) throw new Error(`the isolation check could not run: ${output.trim().slice(-200)}`)
  return found
}
