// What a line of a settings file may be: a regular expression for the whole line, in which <1-60> is a number from 1 to 60.

const range = /<(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)>/g

/** Whether a whole line is one of these, perhaps with a comment behind it. */
export const lineMatcher = (pattern: string): ((line: string) => boolean) => {
  const bounds = [...pattern.matchAll(range)].map(([, least, most]) => [Number(least), Number(most)] as const)
  let at = 0
  const source = pattern.replace(range, () => `(?<number${at++}>\\d+(?:\\.\\d+)?)`)
  const whole = new RegExp(`^(?:${source})(?: #.*)?$`)
  return (line) => {
    const match = whole.exec(line)
    if (match === null) return false
    return bounds.every(([least, most], index) => {
      const found = match.groups?.[`number${index}`]
      return found === undefined || (Number(found) >= least && Number(found) <= most)
    })
  }
}

/** Numbers without a bound: what is a hundred times too much would pass. */
const endless = /\\d(\+|\*|\{\d+,\})|\[0-9\](\+|\*|\{\d+,\})/

export const hasEndlessNumber = (pattern: string): boolean => endless.test(pattern)
