import { duplexPair } from 'node:stream'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { InvalidJson } from './checked-json.ts'
import { ChannelClosed, Failed, NoAnswer, openLines } from './line-channel.ts'

const Sum = z.object({ sum: z.number() })
const patienceMs = 5_000

/** A channel, and the program at its other end: what it was asked, and its voice. */
const open = () => {
  const [ours, theirs] = duplexPair()
  const lines = openLines({ stream: ours, close: async () => void ours.destroy() })
  const asked: Record<string, unknown>[] = []
  const waiting: (() => void)[] = []
  theirs.setEncoding('utf8')
  theirs.on('data', (text: string) => {
    for (const line of text.trim().split('\n')) asked.push(JSON.parse(line))
    for (const wake of waiting.splice(0)) wake()
  })
  const hasAsked = async (count: number) => {
    while (asked.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    return asked
  }
  const say = (...answers: unknown[]) => theirs.write(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''))
  return { lines, theirs, hasAsked, say }
}

it('gives each of many questions its own answer, in whatever order they come', async () => {
  const { lines, hasAsked, say } = open()
  const answers = [lines.ask({ add: [1, 2] }, Sum, patienceMs), lines.ask({ add: [3, 4] }, Sum, patienceMs)]
  const [one, other] = await hasAsked(2)
  say({ id: other?.['id'], sum: 7 }, { id: one?.['id'], sum: 3, more: true })
  expect(await Promise.all(answers)).toEqual([{ sum: 3 }, { sum: 7 }])
})

it('hears neither noise nor answers that nobody asked for', async () => {
  const { lines, theirs, hasAsked, say } = open()
  const answer = lines.ask({}, Sum, patienceMs)
  const [question] = await hasAsked(1)
  theirs.write('Warning: something\n{"id": "1"}\n[]\n')
  say({ id: 99, sum: 0 }, { id: question?.['id'], sum: 1 })
  expect(await answer).toEqual({ sum: 1 })
})

it('tells a failure from an answer of another shape', async () => {
  const { lines, hasAsked, say } = open()
  const late = expect(lines.ask({}, Sum, patienceMs)).rejects.toEqual(new Failed('it took too long', { timedOut: true }))
  const dead = expect(lines.ask({}, Sum, patienceMs)).rejects.toEqual(new Failed('it was killed', { killed: true }))
  const wrong = expect(lines.ask({}, Sum, patienceMs)).rejects.toBeInstanceOf(InvalidJson)
  const [one, another, other] = await hasAsked(3)
  say(
    { id: one?.['id'], failed: 'it took too long', timed_out: true },
    { id: another?.['id'], failed: 'it was killed', killed: true },
    { id: other?.['id'], sum: 'three' },
  )
  await Promise.all([late, dead, wrong])
})

it('waits no longer than it was told to', async () => {
  const { lines } = open()
  await expect(lines.ask({}, Sum, 10)).rejects.toEqual(new NoAnswer('no answer in 10 ms'))
})

it('fails every question once the other end is gone', async () => {
  const { lines, theirs, hasAsked } = open()
  const asked = expect(lines.ask({}, Sum, patienceMs)).rejects.toBeInstanceOf(ChannelClosed)
  await hasAsked(1)
  theirs.end()
  await asked
  await expect(lines.ask({}, Sum, patienceMs)).rejects.toBeInstanceOf(ChannelClosed)
})

it('bounds what it holds of an answer', async () => {
  const { lines, theirs } = open()
  const answer = expect(lines.ask({}, Sum, patienceMs)).rejects.toEqual(new NoAnswer('an answer was too long'))
  const chunk = 'x'.repeat(1024 * 1024)
  for (let megabytes = 0; megabytes < 9; megabytes += 1) theirs.write(chunk)
  await answer
})
