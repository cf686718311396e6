import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { TerminalEvent } from '../contract/terminal.ts'
import { createGuestOutput, type GuestOutput } from '../sandboxes/run/guest-output.ts'
import { createScrollbacks } from '../sandboxes/run/scrollback.ts'
import type { Follower } from '../sandboxes/run/shared-shell.ts'
import { followShell } from './terminal-follower.ts'

const ring = 256 * 1024
const leaving: (() => void)[] = []
afterEach(() => {
  for (const leave of leaving.splice(0)) leave()
})

/** What a shell has printed, and those who follow it. */
const openShell = () => {
  const scrollback = createScrollbacks({ eachBytes: ring, inAllBytes: 64 * 1024 * 1024 }).create()
  const followers = new Set<Follower>()
  return {
    since: scrollback.since,
    size: () => ({ columns: 80, rows: 24 }),
    follow: (follower: Follower) => {
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    print: (chunk: Buffer) => {
      scrollback.append(chunk)
      for (const { more } of followers) more()
    },
    printed: scrollback.end,
  }
}
type Shell = ReturnType<typeof openShell>

/** A connection that takes whatever it is sent. */
const connect = (guestOutput: GuestOutput, guest: string, shell: Shell) => {
  const received = { bytes: 0, missed: 0, last: '' }
  let offset = 0
  const lane = guestOutput.join(guest)
  const tell = (event: TerminalEvent) => {
    if (!('gap' in event)) return
    received.missed += event.gap.offset - offset
    offset = event.gap.offset
  }
  const send = (bytes: Buffer, done: () => void) => {
    received.bytes += bytes.length
    received.last = bytes.subarray(-8).toString()
    offset += bytes.length
    setImmediate(done)
  }
  const socket = { send, bufferedAmount: 0, readyState: 1, OPEN: 1 } as never
  const unfollow = followShell(shell, 0, { socket, lane, tell, ended: () => undefined })
  leaving.push(unfollow, lane.leave)
  return { received, leave: lane.leave }
}

/** Prints all the time, in pieces as they come from an engine. */
const flood = (shell: Shell) => {
  let isOver = false
  const print = () => {
    if (isOver) return
    shell.print(Buffer.alloc(16 * 1024, 'y'))
    setImmediate(print)
  }
  print()
  leaving.push(() => {
    isOver = true
  })
}

const megabyte = 1024 * 1024

describe('guests', () => {
  it('are sent what all of them may be sent together and no more, evenly, and are told what they miss', async () => {
    const guestOutput = createGuestOutput({ bytesPerSecond: 2 * megabyte })
    const shell = openShell()
    flood(shell)
    const guests = Array.from({ length: 20 }, (_, index) => connect(guestOutput, `guest ${index % 10}`, shell))
    await delay(500)
    const before = guests.map(({ received }) => received.bytes)
    const began = performance.now()
    await delay(3000)
    const seconds = (performance.now() - began) / 1000
    const sent = guests.map(({ received }, index) => received.bytes - (before[index] as number))
    const total = sent.reduce((sum, bytes) => sum + bytes, 0)
    // What each may always be sent comes on top, and a turn is as long as a scrollback.
    expect(total / seconds).toBeLessThan(2 * megabyte + 10 * 10_000 + (4 * ring) / seconds)
    expect(Math.min(...sent)).toBeGreaterThan(0)
    for (const { received } of guests) expect(received.missed).toBeGreaterThan(0)
    expect(shell.printed()).toBeGreaterThan(2 * total)
  })

  it('who follow one terminal that prints much see what is printed in another one', async () => {
    const guestOutput = createGuestOutput({ bytesPerSecond: 16 * megabyte })
    const [loud, quiet] = [openShell(), openShell()]
    for (let index = 0; index < 5; index += 1) connect(guestOutput, 'guest', loud)
    const { received } = connect(guestOutput, 'guest', quiet)
    flood(loud)
    await delay(300)
    quiet.print(Buffer.from('a prompt'))
    await expect.poll(() => received.last).toBe('a prompt')
  })

  it('who are sent little wait for nobody', async () => {
    const guestOutput = createGuestOutput({ bytesPerSecond: 100_000 })
    const [loud, quiet] = [openShell(), openShell()]
    for (let index = 0; index < 20; index += 1) connect(guestOutput, `loud ${index}`, loud)
    flood(loud)
    const { received } = connect(guestOutput, 'quiet', quiet)
    for (let key = 0; key < 20; key += 1) {
      await delay(5)
      quiet.print(Buffer.from(`key ${key}`))
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      expect(received.last).toBe(`key ${key}`.slice(-8))
    }
  })

  it('have so many connections and no more, and room again when one has ended', () => {
    const guestOutput = createGuestOutput({ bytesPerSecond: megabyte })
    const shell = openShell()
    const all = Array.from({ length: 10 }, () => connect(guestOutput, 'guest', shell))
    expect(() => connect(guestOutput, 'guest', shell)).toThrow(/follow 10 terminals/)
    connect(guestOutput, 'another', shell)
    all[0]?.leave()
    all[0]?.leave()
    connect(guestOutput, 'guest', shell)
    expect(() => connect(guestOutput, 'guest', shell)).toThrow(/follow 10 terminals/)
  })
})
