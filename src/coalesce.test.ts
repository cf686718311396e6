import { expect, it } from 'vitest'
import { coalesce } from './coalesce.ts'

/** Work that ends when it is told to. */
const open = () => {
  const runs: (() => void)[] = []
  const ask = coalesce(() => new Promise<void>((resolve) => runs.push(resolve)))
  const endRun = async () => {
    runs.at(-1)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { runs, ask, endRun }
}

it('runs once more for all who ask while it runs', async () => {
  const { runs, ask, endRun } = open()
  const all = Promise.all([ask(), ask(), ask()])
  expect(runs).toHaveLength(1)
  await endRun()
  expect(runs).toHaveLength(2)
  await endRun()
  await all
  expect(runs).toHaveLength(2)
})

it('runs anew for who asks later', async () => {
  const { runs, ask, endRun } = open()
  const first = ask()
  await endRun()
  await first
  const second = ask()
  expect(runs).toHaveLength(2)
  await endRun()
  await second
})

it('tells a failure to who has asked, and runs again for the next', async () => {
  let attempts = 0
  const ask = coalesce(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('not today')
  })
  await expect(ask()).rejects.toThrow('not today')
  await ask()
  expect(attempts).toBe(2)
})
