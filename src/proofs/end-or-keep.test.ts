import { expect, it } from 'vitest'
import { endOrKeep } from './end-or-keep.ts'

/** The two calls of an engine that holds one sandbox. */
const engineWith = (sandbox: string) => {
  const there = new Set([sandbox])
  return {
    there,
    describe: async (id: string) => (there.has(id) ? { id, deadline: new Date(0), services: [] } : null),
    destroy: async (id: string) => void there.delete(id),
  } as const
}

it('keeps what somebody wants to look at', async () => {
  const engine = engineWith('one')
  expect(await endOrKeep(engine, 'one', true)).toBe('one')
  expect([...engine.there]).toEqual(['one'])
})

it('removes what nobody asked for', async () => {
  const engine = engineWith('one')
  expect(await endOrKeep(engine, 'one', false)).toBeUndefined()
  expect([...engine.there]).toEqual([])
})

it('promises no sandbox that never came up, or cannot be seen', async () => {
  const engine = engineWith('one')
  expect(await endOrKeep(engine, 'other', true)).toBeUndefined()
  const describe = () => Promise.reject(new Error('the engine is away'))
  expect(await endOrKeep({ ...engine, describe }, 'one', true)).toBeUndefined()
})
