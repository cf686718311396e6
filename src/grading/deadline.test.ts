import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startDeadline } from './deadline.ts'

const never = () => new Promise<string>(() => undefined)
const late = () => 'late'

it('leaves what is done in time alone', async () => {
  const deadline = startDeadline(60_000)
  expect(await deadline.within(async () => 'done', late)).toBe('done')
  await expect(deadline.within(() => Promise.reject(new Error('wrong')), late)).rejects.toThrow('wrong')
  deadline.end()
})

it('is shared by everything that waits', async () => {
  const deadline = startDeadline(40)
  expect(await Promise.all([deadline.within(never, late), deadline.within(never, late)])).toEqual(['late', 'late'])
  expect(deadline.leftMs()).toBe(0)
  expect(await deadline.within(async () => 'begun too late', late)).toBe('late')
})

it('stands still while it is paused', async () => {
  const deadline = startDeadline(60)
  const resume = deadline.pause()
  await delay(120)
  expect(deadline.leftMs()).toBeGreaterThan(0)
  resume()
  resume()
  expect(await deadline.within(never, late)).toBe('late')
})
