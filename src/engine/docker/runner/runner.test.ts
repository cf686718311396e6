import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forgedFrame as frame } from '../../../../test/support/frames.ts'
import type { Command } from '../../engine.ts'
import { createRunner } from './runner.ts'

const outputBytes = 100
const command: Command = { argv: ['true'], timeoutMs: 60_000, outputBytes }

const onStdout = (bytes: Buffer) => {
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}
const started = (id: number) => frame('S', id, Buffer.from([0, 0, 0, 9]))
const ended = (id: number) => frame('X', id, Buffer.alloc(18))

/** The other end of a runner's stream, controlled by a program that replaced the runner. */
const connect = () => {
  const raw = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const killed: number[] = []
  const runner = createRunner({
    raw,
    kill: async () => void raw.push(null),
    killGroups: async (leaders) => void killed.push(...leaders),
  })
  const say = (...frames: Buffer[]) => raw.push(onStdout(Buffer.concat(frames)))
  return { raw, runner, say, killed }
}

describe('a runner that ends', () => {
  it('takes what it had begun with it, and leaves the rest to others', async () => {
    const { raw, runner, say, killed } = connect()
    say(frame('H', 0))
    await runner.ready
    const results = [runner.run(command), runner.run(command), runner.run(command)]
    say(started(1), frame('O', 1, Buffer.from('so far')), ended(3))
    raw.push(null)
    const [begun, untouched, over] = await Promise.all(results)
    expect(begun).toMatchObject({ exitCode: 137, timedOut: false, stdout: Buffer.from('so far') })
    expect(untouched).toBeNull()
    expect(over).toMatchObject({ exitCode: 0 })
    expect([killed, await runner.gone, runner.usable()]).toEqual([[9], 'failed', false])
  })
})

describe('a runner that was replaced', () => {
  it.each([
    ['speaks of commands that there never were', [frame('O', 2, Buffer.from('x'))]],
    ['greets again and again', [frame('H', 0)]],
    ['begins a command twice, to gain time', [started(1), started(1)]],
    ['says more than the cap', [started(1), frame('O', 1, Buffer.alloc(outputBytes + 1))]],
    ['babbles about what is over', [ended(1), ...Array.from({ length: 300 }, () => frame('O', 1, Buffer.alloc(65_536)))]],
  ])('and %s is ended', async (_, frames) => {
    const { runner, say } = connect()
    say(frame('H', 0))
    await runner.ready
    const result = runner.run(command)
    for (const each of frames) say(each)
    expect(await runner.gone).toBe('failed')
    expect((await result)?.stdout.length ?? 0).toBeLessThanOrEqual(outputBytes)
  })

  it('and floods standard error is ended', async () => {
    const { runner, raw, say } = connect()
    say(frame('H', 0))
    for (let round = 0; round < 300; round += 1) raw.push(Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 1, 0, 0]), Buffer.alloc(65_536)]))
    expect(await runner.gone).toBe('failed')
  })
})

describe('a runner that says anything at all', () => {
  const plausible = fc
    .tuple(fc.constantFrom(...'HSFOEX?'), fc.integer({ min: 0, max: 4 }), fc.uint8Array({ maxLength: 300 }), fc.option(fc.nat()))
    .map(([letter, id, payload, length]) => frame(letter, id, Buffer.from(payload), length ?? payload.length))
  const sound = fc.constantFrom(
    frame('H', 0),
    started(1),
    started(2),
    ended(1),
    ended(9),
    frame('F', 2),
    frame('O', 2, Buffer.alloc(5_000)),
  )
  const noise = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes))

  it('leaves every command with one result within its caps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(sound, plausible, noise), { maxLength: 20 }), fc.boolean(), async (parts, framed) => {
        const { raw, runner, say } = connect()
        const results = [runner.run(command), runner.run(command), runner.run(command)]
        for (const part of parts) if (!raw.readableEnded && !raw.destroyed) framed ? say(part) : raw.push(part)
        if (!raw.readableEnded && !raw.destroyed) raw.push(null)
        for (const result of await Promise.all(results)) {
          if (result === null) continue
          expect(result.stdout.length + result.stderr.length).toBeLessThanOrEqual(2 * outputBytes)
          expect(Number.isSafeInteger(result.stdoutBytes) && result.stdoutBytes >= result.stdout.length).toBe(true)
          expect(Number.isSafeInteger(result.stderrBytes) && result.stderrBytes >= result.stderr.length).toBe(true)
        }
        await runner.gone
      }),
    )
  })
})
