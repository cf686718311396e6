// The keys of a terminal in a lab: Ctrl-] and a letter, the same as in `./lab drill`, and what only a page has.

export const labCommands = {
  g: 'grade',
  h: 'hint',
  t: 'more time',
  c: 'next machine',
  '|': 'split, or close the split',
  o: 'other pane',
  b: 'brief',
  s: 'stop',
  f: 'find',
  q: 'leave the terminal',
  '?': 'help',
} as const

export type LabCommand = keyof typeof labCommands

export const isLabCommand = (key: string): key is LabCommand => Object.hasOwn(labCommands, key)

export const commandMenu = `Ctrl-], and now: ${Object.entries(labCommands)
  .map(([key, what]) => `${key} ${what}`)
  .join(' · ')}`
