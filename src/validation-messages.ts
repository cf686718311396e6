// Describes what is wrong with a request, a file or an answer in limited size: the first few problems, and how many others there are.

export interface Problem {
  readonly field: string
  readonly problem: string
}

/** What a Zod schema says of a value: any issue of Zod's, and what Fastify makes of it. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The names that a strict object does not know. */
  readonly keys?: readonly string[]
}

const mostProblems = 20
const longestField = 100
const longestProblem = 200

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

/** The problems with their paths. Each unknown key is a problem of its own, at its own path. */
const locateIssues = (issues: readonly Issue[], noun: string): { path: PropertyKey[]; problem: string }[] =>
  issues.flatMap(({ path, message, keys = [] }) =>
    keys.length === 0
      ? [{ path: [...path], problem: message }]
      : keys.map((key) => ({ path: [...path, key], problem: `is not a known ${noun}` })),
  )

/** The message and details of an error. Reads no more problems than it shows. */
export const tellProblems = (problems: readonly Problem[]) => {
  const fields = problems.slice(0, mostProblems).map(({ field, problem }) => ({
    field: shortened(field, longestField),
    problem: shortened(problem, longestProblem),
  }))
  const more = problems.length - fields.length
  const told = fields.map(({ field, problem }) => `${field}: ${problem}`)
  return {
    summary: [...told, ...(more === 0 ? [] : [`and ${more} more`])].join('; '),
    details: { fields, ...(more === 0 ? {} : { more_fields: more }) },
  }
}

/** The same for what a schema found. `whole` names the value itself, `noun` what its parts are called. */
export const tellIssues = (issues: readonly Issue[], whole: string, noun = 'field') =>
  tellProblems(locateIssues(issues, noun).map(({ path, problem }) => ({ field: path.join('.') || whole, problem })))
