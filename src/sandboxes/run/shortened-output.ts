// Puts the beginning and the end of a long output together, with a note of what was left out between them.

import type { Command } from '../../engine/engine.ts'
import { brokenStart, completeLength } from './utf8.ts'

export type OutputBounds = Required<Pick<Command, 'outputBytes' | 'tailBytes'>>

/** `kept` is the beginning and the end of an output of `total` bytes, as the engine captured them. Cuts no character in two. */
export const shortened = (kept: Buffer, total: number, { outputBytes, tailBytes }: OutputBounds): Buffer => {
  if (total <= kept.length || tailBytes === 0) return kept
  const [start, end] = [kept.subarray(0, outputBytes - tailBytes), kept.subarray(outputBytes - tailBytes)]
  const head = start.subarray(0, completeLength(start))
  const tail = end.subarray(brokenStart(end))
  const [from, to] = [head.length, total - tail.length]
  return Buffer.concat([head, Buffer.from(`\n[... ${to - from} bytes left out: ${from} to ${to} of ${total} ...]\n`), tail])
}
