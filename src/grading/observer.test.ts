import { duplexPair } from 'node:stream'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Engine } from '../engine/engine.ts'
import { timedOut, unobservable } from '../probes/observation.ts'
import { openObserver } from './observer.ts'

/** An observer of a sandbox whose inspector gives these answers, one after the other; and how many were asked for. */
const observerOf = (...answers: readonly object[]) => {
  let asked = 0
  const open = async () => {
    const [ours, theirs] = duplexPair()
    theirs.setEncoding('utf8')
    theirs.on('data', (text: string) => {
      for (const line of text.trim().split('\n')) {
        theirs.write(`${JSON.stringify({ ...answers[asked], id: JSON.parse(line).id })}\n`)
        asked += 1
      }
    })
    return { stream: ours, close: async () => void ours.destroy() }
  }
  const engine: Partial<Engine> = { openProbe: open, openInspector: open } as Partial<Engine>
  return { observer: openObserver(engine as Engine, 'sandbox'), asked: () => asked }
}
const killed = { failed: 'the inspection was killed', killed: true }
const Answer = z.object({ paths: z.array(z.string()) })

it('asks once more when an inspection was killed', async () => {
  const { observer } = observerOf(killed, { paths: ['/etc'] })
  expect(await observer.inspect('web', { inspection: 'powers' }, Answer)).toEqual({ paths: ['/etc'] })
})

it('takes two in a row for a timeout, so that the host is asked before the sandbox is blamed', async () => {
  const { observer, asked } = observerOf(killed, killed, { paths: [] })
  const observation = unobservable(timedOut('web could not be inspected'))
  await expect(observer.inspect('web', { inspection: 'powers' }, Answer)).rejects.toMatchObject({ observation })
  expect(asked()).toBe(2)
})

it('blames the sandbox at once for what could not be read', async () => {
  const { observer, asked } = observerOf({ failed: 'the file is too long' }, { paths: [] })
  await expect(observer.inspect('web', { inspection: 'powers' }, Answer)).rejects.toMatchObject({
    observation: { passed: false, saw: 'web could not be read: the file is too long', unobservable: true },
  })
  expect(asked()).toBe(1)
})
