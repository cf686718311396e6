// Finds lines of settings files that say something, and what each would be if somebody had damaged it.

export interface Directive {
  /** Counted from 1. */
  readonly line: number
  readonly what: string
  readonly before: string
  /** Undefined: the line is gone. */
  readonly after: string | undefined
}

const opposites: Readonly<Record<string, string>> = { on: 'off', off: 'on', true: 'false', false: 'true', yes: 'no', no: 'yes' }
const comment = /^\s*(#|\/\/|;|--|$)/
const isSettings = /\.(conf|cfg|toml|ini|yaml|yml|json|acl|env|options|local|zones)$|\.conf\.py$|\/default\/[\w-]+$/

const changed = (text: string): { what: string; after: string } | undefined => {
  const word = /(?<=[\s=:])(on|off|true|false|yes|no)(?=[\s;,]|$)/.exec(text)
  if (word !== null)
    return {
      what: 'turned round',
      after: `${text.slice(0, word.index)}${opposites[word[1] as string]}${text.slice(word.index + word[0].length)}`,
    }
  const number = /(?<=[\s=:"])([1-9]\d*)(?=[\s;,"a-zA-Z]|$)/.exec(text)
  if (number === null) return undefined
  return {
    what: 'made a hundred times as much',
    after: `${text.slice(0, number.index)}${number[1]}00${text.slice(number.index + number[0].length)}`,
  }
}

/** Every damage of one line of a file of settings; none where it is no such file. */
export const directivesOf = (path: string, text: string): Directive[] => {
  if (!isSettings.test(path)) return []
  return text.split('\n').flatMap((before, index): Directive[] => {
    const line = index + 1
    const isWhole = /^\s*["\w][\w.\-/"]*\s*[=: ]\s*[^\s{[(].*$/.test(before) && !/[{[(\\]\s*$/.test(before)
    if (comment.test(before) || !isWhole) return []
    const other = changed(before)
    return [{ line, what: 'gone', before, after: undefined }, ...(other === undefined ? [] : [{ line, before, ...other }])]
  })
}
