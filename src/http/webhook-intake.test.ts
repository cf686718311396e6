import { expect, it } from 'vitest'
import { createIntake } from './webhook-intake.ts'

it('works on a few at a time, lets some wait in order, and refuses the others', async () => {
  const intake = createIntake({ atOnce: 2, mostWaiting: 3 })
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = (index: number) => () => {
    begun.push(index)
    return new Promise<number>((resolve) => ends.push(() => resolve(index)))
  }
  const all = Array.from({ length: 7 }, (_, index) => intake(work(index)))
  const refused = await Promise.allSettled(all.slice(5))
  expect(refused).toMatchObject([5, 6].map(() => ({ status: 'rejected', reason: { code: 'rate_limited', retryAfterSeconds: 1 } })))
  expect(begun).toEqual([0, 1])
  const first = all.slice(0, 5)
  for (let ended = 0; ended < first.length; ended += 1) {
    ends[ended]?.()
    await first[ended]
  }
  expect(await Promise.all(first)).toEqual([0, 1, 2, 3, 4])
  expect(await intake(async () => 'free again')).toBe('free again')
})

it('has room again after a failure', async () => {
  const intake = createIntake({ atOnce: 1, mostWaiting: 0 })
  await expect(intake(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await intake(async () => 1)).toBe(1)
})
