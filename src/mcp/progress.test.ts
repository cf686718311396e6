import { setTimeout as delay } from 'node:timers/promises'
import type { ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { openProgress } from './progress.ts'

interface Told {
  readonly progress: number
  readonly total: number
  readonly message?: string
}

/** A call whose notifications are kept, as a client with this token would get them. */
const call = (total: number, everyMs: number, progressToken?: string) => {
  const told: Told[] = []
  const mcpReq = {
    _meta: progressToken === undefined ? {} : { progressToken },
    notify: async ({ params }: { params: Told }) => void told.push(params),
  } as unknown as ServerContext['mcpReq']
  return { told, ...openProgress({ mcpReq }, { total, everyMs }) }
}

describe('progress', () => {
  it('tells each step once, with its number and the total', () => {
    const { told, say, close } = call(3, 60_000, 't')
    for (const step of ['one', 'two', 'one', 'two', 'three', 'four']) say(step)
    close()
    expect(told).toEqual([
      { progressToken: 't', progress: 1, total: 3, message: 'one' },
      { progressToken: 't', progress: 2, total: 3, message: 'two' },
      { progressToken: 't', progress: 3, total: 3, message: 'three' },
    ])
  })

  it('skips steps that did not happen, and never goes back', () => {
    const { told, say, close } = call(4, 60_000, 't')
    for (const [step, number] of [
      ['prepare', 1],
      ['ready', 4],
      ['late', 2],
      ['unknown', 0],
    ] as const)
      say(step, number)
    close()
    expect(told.map(({ progress }) => progress)).toEqual([1, 4])
  })

  it('rises between steps without naming one, and reaches none', async () => {
    const { told, say, close } = call(2, 5, 't')
    say('one')
    while (told.length < 5) await delay(5)
    say('two')
    close()
    const values = told.map(({ progress }) => progress)
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b))
    expect(told.filter(({ message }) => message !== undefined).map(({ message }) => message)).toEqual(['one', 'two'])
    for (const { progress, message } of told) if (message === undefined) expect(progress % 1).toBeGreaterThan(0)
    expect(values.at(-1)).toBe(2)
  })

  it('is silent for a client that did not ask for it', () => {
    const { told, say, close } = call(1, 1)
    say('one')
    close()
    expect(told).toEqual([])
  })
})
