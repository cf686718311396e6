import { expect, it } from 'vitest'
import { poll, retry } from './polling.ts'

const soon = { pauseMs: 1, withinMs: 10_000 }
const never = { pauseMs: 1, withinMs: 20 }

const counter = () => {
  let count = 0
  return () => {
    count += 1
    return count
  }
}

it('looks until it sees what is wanted, and no more', async () => {
  const look = counter()
  expect(await poll(look, (seen) => seen === 3, soon)).toBe(3)
  expect(look()).toBe(4)
})

it('gives what it saw last when the time is up, and looks once however short that is', async () => {
  expect(await poll(counter(), () => false, never)).toBeGreaterThan(0)
  expect(
    await poll(
      async () => 'there',
      () => false,
      { pauseMs: 50, withinMs: 0 },
    ),
  ).toBe('there')
})

it('tries again while what is wrong passes', async () => {
  const attempt = counter()
  const work = async () => {
    const count = attempt()
    if (count < 3) throw new Error('busy')
    return count
  }
  const pauses: number[] = []
  const pauseMs = (attempts: number) => pauses.push(attempts)
  expect(await retry(work, (error) => error instanceof Error, { pauseMs, withinMs: 10_000 })).toBe(3)
  expect(pauses).toEqual([1, 2])
})

it('throws at once what does not pass, and in the end what did not', async () => {
  const attempt = counter()
  const work = async () => {
    throw new Error(`attempt ${attempt()}`)
  }
  await expect(retry(work, () => false, { pauseMs: () => 1, withinMs: 10_000 })).rejects.toThrow('attempt 1')
  await expect(retry(work, () => true, { pauseMs: () => 1, withinMs: 20 })).rejects.toThrow(/attempt \d+/)
})
