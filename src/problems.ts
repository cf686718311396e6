// What was wrong with a request, told in an answer of bounded size: a few problems in full, the number of the others.

export interface Problem {
  readonly field: string
  readonly problem: string
}

const mostProblems = 20
const longestField = 100
const longestProblem = 200

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

/** One sentence and the particulars of an error. Takes no more of the problems than it tells. */
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
