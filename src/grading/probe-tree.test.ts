import { describe, expect, it } from 'vitest'
import { Probe } from '../catalog/probe-file.ts'
import { checkValue } from '../checked-json.ts'
import { differs, holds, killed } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'
import { observe, observeUnlessKilled, observeUntil } from './probe-tree.ts'

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

/** A probe in which scripts end with these codes, one after the other, and the last for ever. */
const observerOf = (...exitCodes: readonly number[]): ProbeObserver => {
  const left = [...exitCodes]
  const next = () => (left.length > 1 ? left.shift() : left[0])
  const fake: Partial<ProbeObserver> = { ask: async (_, schema) => checkValue(schema, { exit_code: next(), stdout: '', stderr: '' }) }
  return fake as ProbeObserver
}
const look = (probe: object, ...exitCodes: readonly number[]) =>
  observe(Probe.parse(probe), { observer: observerOf(...exitCodes), scriptText: () => '', values: {} })
const script = (expected = 0) => ({ script: { run: 'checks/one.sh', expect: { exit_code: expected } } })

describe('a check that was killed', () => {
  it.each<[string, object]>([
    ['alone', script()],
    ['where another exit code is expected', script(1)],
    ['where the very code is expected', script(-9)],
    ['inside not', { not: script() }],
    ['inside not, twice', { not: { not: script() } }],
    ['inside not, among others', { not: { all: [script(), script(1)] } }],
    ['inside not, among alternatives', { not: { any: [script(), script(1)] } }],
    ['inside not, in the end', { not: { retry: { within_ms: 100, probe: script() } } }],
    ['tried again', { retry: { within_ms: 100, probe: script() } }],
  ])('does not pass %s', async (_, probe) => {
    expect(await look(probe, -9)).toMatchObject({ passed: false, timedOut: true, killed: true })
  })

  it('does not pass inside not beside one that failed', async () => {
    expect(await look({ not: { all: [script(), script()] } }, 1, -9)).toMatchObject({ passed: false, killed: true })
  })

  it('passes by what is seen when it is tried again, and by nothing else', async () => {
    const retried = { retry: { within_ms: 2_000, probe: script() } }
    expect(await look(retried, 137, 0)).toMatchObject({ passed: true })
    expect(await look({ not: script() }, 1)).toMatchObject({ passed: true })
  })

  it('is looked at once more, and not a third time', async () => {
    const seen = [killed('first'), killed('second'), holds('third')]
    const next = async () => seen.shift() ?? differs('nothing')
    expect(await observeUnlessKilled(next)).toEqual(killed('second'))
    expect(await observeUnlessKilled(async () => differs('wrong'))).toEqual(differs('wrong'))
    expect(seen).toEqual([holds('third')])
  })
})
