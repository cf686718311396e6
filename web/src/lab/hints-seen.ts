// The hints that were given in a lab. The server gives each once, so this browser keeps them.

import { useState } from 'preact/hooks'
import { Hint } from '../../../src/contract/evaluation.ts'
import { readSetting, writeSetting } from '../browser-settings.ts'

export type SeenHint = Hint

const settingOf = (sandboxId: string) => `hints ${sandboxId}`

const read = (sandboxId: string): readonly SeenHint[] => {
  try {
    return Hint.array().parse(JSON.parse(readSetting(settingOf(sandboxId)) ?? '[]'))
  } catch {
    return []
  }
}

/** A hint of the same level comes in place of the earlier one. */
export const withHint = (hints: readonly SeenHint[], hint: SeenHint): readonly SeenHint[] => [
  ...hints.filter(({ level }) => level !== hint.level),
  hint,
]

export const useHints = (sandboxId: string): readonly [readonly SeenHint[], (hint: SeenHint) => void] => {
  const [hints, setHints] = useState(() => read(sandboxId))
  const add = (hint: SeenHint) =>
    setHints((known) => {
      const next = withHint(known, hint)
      writeSetting(settingOf(sandboxId), JSON.stringify(next))
      return next
    })
  return [hints, add]
}

export const forgetHints = (sandboxId: string): void => writeSetting(settingOf(sandboxId), null)
