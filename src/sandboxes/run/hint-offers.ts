// What callers are told beside a hint: how many of those left can be had whatever the state of the sandbox is, and, where none can be had
// now, whether all were given or none fits. Which hint is given is decided in grading/hints.ts.

import type { Catalog } from '../../catalog/catalog.ts'
import type { Hint } from '../../contract/evaluation.ts'
import { isLabError, LabError } from '../../errors.ts'
import type { Hints } from '../../grading/hints.ts'
import { readIndexes } from '../../store/json-columns.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'

export interface HintOffersDeps {
  readonly hints: Hints
  readonly catalog: Pick<Catalog, 'find'>
  readonly store: Pick<SandboxStore, 'find'>
}

const noneFits = (left: number) =>
  new LabError(
    'no_hint_fits',
    left === 1
      ? 'the one hint that is left does not fit the present state of the sandbox'
      : `none of the ${left} hints that are left fits the present state of the sandbox`,
    {
      hint: 'what it would help with is done already, or is not reached yet; ask again when something has changed',
      details: { hints_left: left },
    },
  )

export const createHintOffers = ({ hints, catalog, store }: HintOffersDeps) => {
  const hintsOf = ({ course_id, seed }: SandboxRow) => catalog.find(course_id).instantiate(seed).hints

  /** Asks nobody, because a hint that was given must reach the caller; so those that others take meanwhile are not counted. */
  const unconditionalAfter = (row: SandboxRow, { level, hints_left }: Hint): number => {
    const given = new Set([...readIndexes(row.hints_given), level - 1])
    const left = hintsOf(row).filter(({ when }, index) => when === undefined && !given.has(index))
    return Math.min(left.length, hints_left)
  }

  const countLeft = async (row: SandboxRow): Promise<number> => {
    const { hints_given } = (await store.find(row.id)) ?? row
    return hintsOf(row).length - readIndexes(hints_given).length
  }

  return {
    /** Throws no_hint_fits while all that are left are for another state, not_found when all were given. */
    give: async (row: SandboxRow): Promise<Hint> => {
      try {
        const hint = await hints.give(row)
        return { ...hint, hints_left_unconditional: unconditionalAfter(row, hint) }
      } catch (error) {
        if (!isLabError(error, 'not_found')) throw error
        const left = await countLeft(row) // says so itself where the course is gone
        if (left > 0) throw noneFits(left)
        throw new LabError('not_found', 'all hints of this course were given in this sandbox', { hint: 'read the brief again' })
      }
    },
  }
}

export type HintOffers = ReturnType<typeof createHintOffers>
