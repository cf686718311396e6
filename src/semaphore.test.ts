import { describe, expect, it } from 'vitest'
import { createSemaphore } from './semaphore.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a semaphore', () => {
  it('lets as many through at once as it is wide, never more', async () => {
    const semaphore = createSemaphore(3)
    let inside = 0
    let most = 0
    const work = async (value: number) => {
      inside += 1
      most = Math.max(most, inside)
      for (let round = 0; round <= value % 4; round += 1) await turn()
      inside -= 1
      return value
    }
    const values = Array.from({ length: 50 }, (_, index) => index)
    expect(await Promise.all(values.map((value) => semaphore(() => work(value))))).toEqual(values)
    expect(most).toBe(3)
    expect(inside).toBe(0)
  })

  it('keeps the order of those who wait', async () => {
    const semaphore = createSemaphore(1)
    const order: number[] = []
    await Promise.all(
      [1, 2, 3, 4, 5].map((value) =>
        semaphore(async () => {
          await turn()
          order.push(value)
        }),
      ),
    )
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  it('opens again after a failure', async () => {
    const semaphore = createSemaphore(1)
    const outcomes = await Promise.allSettled([
      semaphore(() => Promise.reject(new Error('first'))),
      semaphore(async () => {
        throw new Error('second')
      }),
      semaphore(async () => 'third'),
    ])
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message))).toEqual([
      'first',
      'second',
      'third',
    ])
    expect(await semaphore(async () => 'later')).toBe('later')
  })

  it('has its full width again when all have left', async () => {
    const semaphore = createSemaphore(2)
    await Promise.all([1, 2, 3, 4, 5].map(() => semaphore(turn)))
    const entered: number[] = []
    const leave: (() => void)[] = []
    const stays = [1, 2, 3].map((value) =>
      semaphore(() => {
        entered.push(value)
        return new Promise<void>((resolve) => leave.push(resolve))
      }),
    )
    await turn()
    expect(entered).toEqual([1, 2])
    leave[0]?.()
    await turn()
    expect(entered).toEqual([1, 2, 3])
    for (const go of leave) go()
    await Promise.all(stays)
  })
})
