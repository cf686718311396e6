import { expect, it } from 'vitest'
import { createKeyedSemaphore } from './keyed-semaphore.ts'

it('gives each owner its own slots, in order, and none twice', async () => {
  const slots = createKeyedSemaphore(1, 1_000)
  const order: string[] = []
  const release = await slots.take('one')
  const second = slots.take('one').then((give) => {
    order.push('second')
    return give
  })
  const third = slots.take('one').then(() => order.push('third'))
  ;(await slots.take('two'))()
  expect(order).toEqual([])
  release()
  release()
  const giveBack = await second
  expect(order).toEqual(['second'])
  giveBack()
  await third
  expect(order).toEqual(['second', 'third'])
})

it('lets nobody wait for ever, and keeps no turn for who has left', async () => {
  const slots = createKeyedSemaphore(1, 20)
  const release = await slots.take('one')
  await expect(slots.take('one')).rejects.toThrow('no slot')
  release()
  await expect(slots.take('one')).resolves.toBeTypeOf('function')
})
