// What a line of a settings file may be: a regular expression for the whole line, in which <1-60> is a number from 1 to 60.

const range = /<(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)>/g

/** `.` stops at these, so a pattern with several `.*` would try every way to split such a line; and some programs take them for its end. */
const lineEnd = /[\r\n\u2028\u2029]/
const comment = ' #'

/** Whether a whole line is one of these, perhaps with a comment behind it. */
export const lineMatcher = (pattern: string): ((line: string) => boolean) => {
  const bounds = [...pattern.matchAll(range)].map(([, least, most]) => [Number(least), Number(most)] as const)
  let at = 0
  const source = pattern.replace(range, () => `(?<number${at++}>\\d+(?:\\.\\d+)?)`)
  const whole = new RegExp(`^(?:${source})$`)
  const isOne = (text: string): boolean => {
    const match = whole.exec(text)
    if (match === null) return false
    return bounds.every(([least, most], index) => {
      const found = match.groups?.[`number${index}`]
      return found === undefined || (Number(found) >= least && Number(found) <= most)
    })
  }
  return (line) => {
    if (lineEnd.test(line)) return false
    const end = line.indexOf(comment)
    return isOne(line) || (end !== -1 && isOne(line.slice(0, end)))
  }
}

/** Numbers without a bound: what is a hundred times too much would pass. */
const endless = /\\d(\+|\*|\{\d+,\})|\[0-9\](\+|\*|\{\d+,\})/

export const hasEndlessNumber = (pattern: string): boolean => endless.test(pattern)
