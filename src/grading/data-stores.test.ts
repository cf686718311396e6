import { expect, it } from 'vitest'
import { compareStore } from './data-stores.ts'

const before = {
  things: { 'role app': 'a', 'table orders': 'b' },
  room: { 'sequence ids': 1000 },
  taken: { 'sequence ids': 24 },
  wrong: [],
}
const now = (more: object) => compareStore(before, { ...before, ...more }, { mayAppear: ['table', 'index'], mayVanish: ['lifetime'] })

it('finds nothing in a store that is as it was, or has more of what may appear', () => {
  expect(now({})).toEqual([])
  expect(now({ things: { ...before.things, 'table notes': 'c', 'index notes_id': 'd' }, room: { 'sequence ids': 500 } })).toEqual([])
})

it('names what is gone, new or changed', () => {
  expect(now({ things: { 'role app': 'other', 'role intern': 'x', tableau: 'y' } })).toEqual([
    'role app is not as it was',
    'role intern is new',
    'table orders is gone',
    'tableau is new',
  ])
})

it('lets what comes and goes by itself be gone, and no other', () => {
  const passing = { mayAppear: ['lifetime'], mayVanish: ['lifetime'] }
  const keys = { ...before, things: { 'lifetime of keys': 'for good', 'role app': 'a' } }
  expect(compareStore(keys, { ...before, things: { 'role app': 'a' } }, passing)).toEqual([])
  expect(compareStore(keys, { ...before, things: { 'lifetime of keys': 'short' } }, passing)).toEqual([
    'lifetime of keys is not as it was',
    'role app is gone',
  ])
})

it('names what runs out, also when it can no longer be seen, and what is wrong in any case', () => {
  expect(now({ room: { 'sequence ids': 499 } })).toEqual(['sequence ids is running out'])
  expect(now({ room: {} })).toEqual(['sequence ids is running out'])
  expect(now({ taken: { 'sequence ids': 100_024, new: 100_000 } })).toEqual([])
  expect(now({ taken: { 'sequence ids': 100_025 } })).toEqual(['sequence ids has leapt far beyond what it had given out'])
  expect(now({ wrong: ['the login app does not work'] })).toEqual(['the login app does not work'])
})
