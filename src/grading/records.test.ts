import { describe, expect, it } from 'vitest'
import type { RecordSet } from '../catalog/records-file.ts'
import { checkValue } from '../checked-json.ts'
import { differs, timedOut } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'
import { compareRecords, observeRecords, Rows } from './records.ts'

type Write = [age: number, state: 'attempted' | 'acknowledged', key: string, content: string | null]

const both = (key: string, content: string, age = 60): Write[] => [
  [age + 1, 'attempted', key, content],
  [age, 'acknowledged', key, content],
]
/** A probe that has one answer to everything. */
const observerSaying = (answer: object): ProbeObserver =>
  ({
    ask: async (_, schema) => checkValue(schema, answer),
  }) as Partial<ProbeObserver> as ProbeObserver
const before = { old: ['a'], twice: ['b', 'b'] }
const compare = (
  rows: Record<string, string[]>,
  writes: Write[],
  { settlesMs = 0, mayWait = null as RegExp | null, grows = false, tests = null as RegExp | null } = {},
) => compareRecords(before, { rows, writes }, { settlesMs, mayWait, grows, tests })

describe('acknowledged writes', () => {
  it('hold when all is there once, as it was before and as it was confirmed', () => {
    expect(compare({ ...before, new: ['c'] }, both('new', 'c'))).toEqual([])
  })

  it.each<[string, Record<string, string[]>, Write[], string[]]>([
    ['what was there before and is gone', { twice: ['b', 'b'] }, [], ['1 that were confirmed are not there']],
    ['what was there before and has another content', { ...before, old: ['x'] }, [], ['1 are not as they were confirmed']],
    ['one of two equal rows is gone', { ...before, twice: ['b'] }, [], ['1 are not as they were confirmed']],
    ['a confirmed one that is gone', before, both('new', 'c'), ['1 that were confirmed are not there']],
    ['a confirmed one with another content', { ...before, new: ['x'] }, both('new', 'c'), ['1 are not as they were confirmed']],
    ['a confirmed one that is there twice', { ...before, new: ['c', 'c'] }, both('new', 'c'), ['1 are there more than once']],
    [
      'one that nobody asked for',
      { ...before, forged: ['c'] },
      both('new', 'c'),
      ['1 that were confirmed are not there', '1 were asked for by nobody'],
    ],
    ['an attempt that is there twice', { ...before, new: ['c', 'c'] }, [[9, 'attempted', 'new', 'c']], ['1 are there more than once']],
    ['an attempt with another content', { ...before, new: ['x'] }, [[9, 'attempted', 'new', 'c']], ['1 are not as they were confirmed']],
  ])('tell %s', (_, rows, writes, told) => {
    expect(compare(rows, writes)).toEqual(told)
  })

  it('may be there or not when they were only attempted', () => {
    expect(compare(before, [[9, 'attempted', 'new', 'c']])).toEqual([])
    expect(compare({ ...before, new: ['c'] }, [[9, 'attempted', 'new', 'c']])).toEqual([])
  })

  it('need not be there when they were confirmed after the rows had been read, or have still time', () => {
    expect(compare(before, both('new', 'c', -0.5))).toEqual([])
    expect(compare(before, both('new', 'c', 4), { settlesMs: 5_000 })).toEqual([])
    expect(compare(before, both('new', 'c', 6), { settlesMs: 5_000 })).not.toEqual([])
  })

  it('may wait where the scenario says so, once and unchanged, but not those of before', () => {
    expect(compare(before, both('new', 'c'), { mayWait: /^(?:new)$/ })).toEqual([])
    expect(compare({ ...before, new: ['c', 'c'] }, both('new', 'c'), { mayWait: /^(?:new)$/ })).toEqual(['1 are there more than once'])
    expect(compare({ old: ['a'] }, [], { mayWait: /^(?:twice)$/ })).toEqual(['1 that were confirmed are not there'])
    expect(compare(before, both('other', 'c'), { mayWait: /^(?:new)$/ })).toEqual(['1 that were confirmed are not there'])
  })

  it('are left alone where they are called tests, as long as these are few', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`test-${index}`, ['c']]))
    expect(compare({ ...before, ...many(20) }, [], { tests: /^(?:test-.*)$/ })).toEqual([])
    expect(compare({ ...before, ...many(21) }, [], { tests: /^(?:test-.*)$/ })).toEqual([
      '21 are called tests, where nobody needs more than 20',
    ])
  })

  it('have keys of any name', () => {
    const rows = (text: string) => Rows.parse(JSON.parse(text))
    const none = rows('{"constructor":["a"]}')
    const settled = { settlesMs: 0, mayWait: null, grows: false, tests: null }
    const told = (now: string, known = none) => compareRecords(known, { rows: rows(now), writes: [] }, settled)
    expect(told('{"constructor":["a"],"__proto__":["x","y"]}')).toEqual(['1 were asked for by nobody'])
    expect(told('{}')).toEqual(['1 that were confirmed are not there'])
    expect(told('{"__proto__":["y"]}', rows('{"__proto__":["x"]}'))).toEqual(['1 are not as they were confirmed'])
  })

  it('may become more by themselves where the scenario says so, and neither fewer nor others', () => {
    expect(compare({ ...before, later: ['c'] }, [], { grows: true })).toEqual([])
    expect(compare({ old: ['x'], later: ['c'] }, [], { grows: true })).toEqual([
      '1 that were confirmed are not there',
      '1 are not as they were confirmed',
    ])
  })

  it('may have any content where none was noted', () => {
    expect(compare({ ...before, desk: ['x'] }, [[9, 'attempted', 'desk', null]])).toEqual([])
  })

  it('do not mind tests of the person on call, by the whole key', () => {
    expect(compare({ ...before, 'test-1': ['x'] }, [], { tests: /^(?:test-\d)$/ })).toEqual([])
    expect(compare({ ...before, 'my test-1': ['x'] }, [], { tests: /^(?:test-\d)$/ })).toEqual(['1 were asked for by nobody'])
  })
})

describe('rows that cannot be read', () => {
  const set: RecordSet = {
    ...{ name: 'orders', source: { text: '', env: {}, timeout_ms: 1_000 } },
    ...{ settlesMs: 0, mayWait: null, grows: false, tests: null },
  }
  const seen = (answer: object) => observeRecords(observerSaying(answer), [set], { orders: before })

  it('have timed out where nobody answered in time', async () => {
    const answer = { unreadable: 'db does not answer', exit_code: 75 }
    expect(await seen(answer)).toEqual(timedOut('the orders cannot be read: db does not answer'))
    expect(await seen({ unreadable: '', exit_code: null })).toEqual(timedOut('the orders could not be read in time'))
  })

  it('are wrong where the store answered otherwise', async () => {
    expect(await seen({ unreadable: 'no table', exit_code: 1 })).toEqual(differs('the orders cannot be read: no table'))
  })
})
