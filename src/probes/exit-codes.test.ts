import { expect, it } from 'vitest'
import { unreadable } from './exit-codes.ts'
import { differs, timedOut } from './observation.ts'

it('takes a program that did not end, or reached nobody, for a timeout: on a busy host that says nothing about the store', () => {
  expect(unreadable('the orders', null, '')).toEqual(timedOut('the orders could not be read in time'))
  expect(unreadable('the orders', 75, 'db does not answer')).toEqual(timedOut('the orders cannot be read: db does not answer'))
})

it('takes any other end for the answer of the store', () => {
  expect(unreadable('the orders', 1, 'no such table')).toEqual(differs('the orders cannot be read: no such table'))
  expect(unreadable('the orders', 0, 'a row is not a list')).toEqual(differs('the orders cannot be read: a row is not a list'))
})
