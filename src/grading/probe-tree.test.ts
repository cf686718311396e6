import { expect, it } from 'vitest'
import { differs, holds } from '../probes/observation.ts'
import { observeUntil } from './probe-tree.ts'

const pace = { pauseMs: 5, withinMs: 60 }

it('what does not pass in its time has timed out, so that a slow host is not taken for a wrong repair', async () => {
  expect(await observeUntil(async () => differs('not yet'), pace)).toEqual({ passed: false, saw: 'not yet', timedOut: true })
})

it('what passes in the end has not', async () => {
  let tries = 0
  const work = async () => {
    tries += 1
    return tries < 3 ? differs('not yet') : holds('there')
  }
  expect(await observeUntil(work, pace)).toEqual({ passed: true, saw: 'there' })
})
