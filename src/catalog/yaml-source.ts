// Reads a YAML file and maps paths of keys to line and column, for error messages.

import { readFile } from 'node:fs/promises'
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { pathProblemsOf } from './schema-problems.ts'

export interface Problem {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Where in a text an offset is. */
export const problemIn = (file: string, text: string, offset: number, message: string): Problem => {
  const before = text.slice(0, offset).split('\n')
  return { file, line: before.length, column: (before.at(-1) ?? '').length + 1, message }
}

/** Every value that stands under a key, however deep, with the path to it. */
export const valuesUnder = (value: unknown, key: string, path: readonly PropertyKey[] = []): { path: PropertyKey[]; value: unknown }[] => {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, entry]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name]
    return [...(name === key ? [{ path: here, value: entry as unknown }] : []), ...valuesUnder(entry, key, here)]
  })
}

export const describeProblem = ({ file, line, column, message }: Problem): string => `${file}:${line}:${column} ${message}`

/** Everything that is wrong with a file. */
export class SourceError extends Error {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'))
    this.name = 'SourceError'
    this.problems = problems
  }
}

export interface YamlSource {
  readonly raw: unknown
  /** Where in the file a path of keys is. */
  readonly problemAt: (path: readonly PropertyKey[], message: string) => Problem
  /** Throws SourceError. */
  readonly check: <T>(schema: z.ZodType<T>, value: unknown) => T
}

/** Throws SourceError when it is not YAML. */
export const readYaml = async (file: string): Promise<YamlSource> => {
  const lines = new LineCounter()
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines })
  const at = (offset: number, message: string): Problem => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col, message }
  }
  if (document.errors.length > 0)
    throw new SourceError(document.errors.map((error) => at(error.pos[0], error.message.split('\n')[0] ?? '')))

  const problemAt = (path: readonly PropertyKey[], message: string): Problem => {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined
      if (node?.range) return at(node.range[0], message)
    }
    return at(0, message)
  }

  return {
    raw: document.toJS(),
    problemAt,
    check: (schema, value) => {
      const parsed = schema.safeParse(value)
      if (parsed.success) return parsed.data
      throw new SourceError(
        pathProblemsOf(schema, value, parsed.error.issues).map(({ path, message }) =>
          problemAt(path, `${path.join('.') || 'document'}: ${message}`),
        ),
      )
    },
  }
}
