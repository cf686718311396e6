import { expect, it } from 'vitest'
import { detach } from './detached-work.ts'

it('runs once at a time, tells failures, and can be waited for', async () => {
  const ends: ((error?: Error) => void)[] = []
  const told: unknown[] = []
  const { begin, settle } = detach(
    () => new Promise<void>((resolve, reject) => ends.push((error) => (error === undefined ? resolve() : reject(error)))),
    (error) => told.push(error),
  )
  await settle()
  await Promise.all([begin(), begin(), begin()])
  expect(ends).toHaveLength(1)
  const settled = settle()
  ends[0]?.(new Error('away'))
  await settled
  expect(told).toEqual([new Error('away')])
  await begin()
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await settle()
  expect(told).toHaveLength(1)
})
