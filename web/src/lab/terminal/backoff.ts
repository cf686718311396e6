// How long to wait before a lost connection is tried again: soon at first, then less often. Pure.

const pausesMs = [300, 1_000, 2_000, 3_000, 5_000] as const

export const pauseBefore = (attempt: number): number => pausesMs[Math.min(attempt, pausesMs.length - 1)] as number
