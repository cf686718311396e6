// How much of an output a tool returns. It goes into the context of a language model, so it is little unless more is asked for.

import type { OutputBounds } from '../sandboxes/run/shortened-output.ts'

export const outputLimits = { defaultBytes: 16 * 1024, leastBytes: 256 } as const

/** The engine keeps no longer end. */
const longestTail = 64 * 1024

/** Half for the beginning and half for the end. */
export const boundsOf = (outputBytes: number): OutputBounds => ({
  outputBytes,
  tailBytes: Math.min(Math.floor(outputBytes / 2), longestTail),
})
