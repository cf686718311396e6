import { expect, it } from 'vitest'
import { unreadable, wasKilled } from './exit-codes.ts'
import { differs, killed, timedOut } from './observation.ts'

it('takes a program that did not end, or reached nobody, for a timeout: on a busy host that says nothing about the store', () => {
  expect(unreadable('the orders', null, '')).toEqual(timedOut('the orders could not be read in time'))
  expect(unreadable('the orders', 75, 'db does not answer')).toEqual(timedOut('the orders cannot be read: db does not answer'))
})

it('takes one that a signal killed for no answer at all, also where a shell tells of it', () => {
  expect(unreadable('the orders', -9, 'half a line')).toEqual(killed('the check of the orders was killed'))
  expect([-11, -9, 137].every(wasKilled)).toBe(true)
  expect([0, 1, 75, 124, 130].some(wasKilled)).toBe(false)
})

it('takes any other end for the answer of the store', () => {
  expect(unreadable('the orders', 1, 'no such table')).toEqual(differs('the orders cannot be read: no such table'))
  expect(unreadable('the orders', 0, 'a row is not a list')).toEqual(differs('the orders cannot be read: a row is not a list'))
})
