import { type PassThrough, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { elapsedMs } from '../../clock.ts'
import { createOutputThrottle, type OutputThrottle } from './output-throttle.ts'
import { createScrollbacks } from './scrollback.ts'
import { createShell, type Follower, type Viewer } from './shared-shell.ts'

const open = (stream: NodeJS.ReadableStream, outputThrottle: OutputThrottle, more: { readonly idle?: () => Promise<void> } = {}) =>
  createShell({
    ...{ id: 'shell', sandbox: 's', container: 'c', size: { columns: 80, rows: 24 }, lingerMs: 1000, now: elapsedMs, outputThrottle },
    terminal: { stream: stream as PassThrough, resize: async () => undefined, close: async () => undefined },
    scrollbacks: createScrollbacks({ eachBytes: 256 * 1024, inAllBytes: 64 * 1024 * 1024 }),
    recording: { output: () => undefined, resize: () => undefined, close: () => undefined },
    idle: more.idle ?? (async () => undefined),
    remind: async () => undefined,
    ending: async () => null,
    viewed: () => undefined,
    ended: () => undefined,
  })

const viewer = (output: (chunk: Buffer) => void = () => undefined): Viewer => ({
  output,
  warn: () => undefined,
  ended: () => undefined,
  replaced: () => undefined,
})

/** One who takes nothing of what there is. */
const stalled = (): Follower => ({ more: () => undefined, resized: () => undefined, warn: () => undefined, ended: () => undefined })

/** As a program that prints whenever it is read. */
const flood = () => {
  const chunk = Buffer.alloc(32 * 1024, 'y')
  return new Readable({
    highWaterMark: 64 * 1024,
    read() {
      setImmediate(() => this.push(chunk))
    },
  })
}

describe('those who follow a shell', () => {
  it('take nothing of what terminals of other sandboxes may print', async () => {
    const rateBeside = async (followers: number): Promise<number> => {
      const outputThrottle = createOutputThrottle({ bytesPerSecond: 4 * 1024 * 1024 })
      const [followed, neighbour] = [open(flood(), outputThrottle), open(flood(), outputThrottle)]
      for (let index = 0; index < followers; index += 1) followed.follow(stalled())
      followed.attach(viewer(), 0)
      let bytes = 0
      neighbour.attach(
        viewer((chunk) => {
          bytes += chunk.length
        }),
        0,
      )
      const began = performance.now()
      await delay(1500)
      const rate = bytes / (performance.now() - began)
      await Promise.all([followed.close(), neighbour.close()])
      return rate
    }
    expect(await rateBeside(200)).toBeGreaterThan((await rateBeside(0)) / 2)
  })

  it('do not slow down what its viewer sees', async () => {
    const wanted = 2 * 1024 * 1024
    const timeWith = async (followers: number): Promise<number> => {
      const shell = open(flood(), createOutputThrottle({ bytesPerSecond: 16 * 1024 * 1024 }))
      for (let index = 0; index < followers; index += 1) shell.follow(stalled())
      const began = performance.now()
      await new Promise<void>((resolve) => {
        let bytes = 0
        shell.attach(
          viewer((chunk) => {
            bytes += chunk.length
            if (bytes >= wanted) resolve()
          }),
          0,
        )
      })
      const time = performance.now() - began
      await shell.close()
      return time
    }
    const alone = await timeWith(0)
    expect(await timeWith(200)).toBeLessThan(alone * 3)
  })
})
