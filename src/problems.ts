// Describes invalid fields in an error of limited size: the first few problems, and how many others there are.

export interface Problem {
  readonly field: string
  readonly problem: string
}

const mostProblems = 20
const longestField = 100
const longestProblem = 200

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

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
