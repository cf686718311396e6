import { expect, it } from 'vitest'
import { differs, holds, killed } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'
import { isWorthAnotherLook } from './host-speed.ts'

/** Nobody asks the host. */
const observer = {} as ProbeObserver

it('looks again at what was killed, however idle the host is, and never at what was seen', async () => {
  expect(await isWorthAnotherLook(observer, killed('a check was killed'))).toBe(true)
  expect(await isWorthAnotherLook(observer, differs('wrong'))).toBe(false)
  expect(await isWorthAnotherLook(observer, holds('right'))).toBe(false)
})
