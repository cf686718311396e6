import { expect, it } from 'vitest'
import { differAll, differs, killed, timedOut } from './observation.ts'

it('what was killed is a timeout, and nothing that could be observed', () => {
  expect(killed('a check was killed')).toMatchObject({ passed: false, timedOut: true, unobservable: true, killed: true })
})

it('several that failed are worth what each of them is', () => {
  expect(differAll([differs('one'), differs('two')])).toEqual(differs('one; two'))
  expect(differAll([differs('one'), timedOut('two')])).toEqual(timedOut('one; two'))
  expect(differAll([differs('one'), killed('two')])).toEqual(killed('one; two'))
})
