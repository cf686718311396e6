// A whole number in a query, where every value is a text: decimal digits, and nothing else that a program might take for a number.

import { z } from 'zod'

const numberIn = (value: unknown): unknown => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value)

const whole = z.int({
  error: ({ input }) => {
    if (typeof input !== 'string') return undefined
    return input === '' ? 'must not be empty' : 'must be a whole number, in decimal digits'
  },
})

export const queryNumber = ({ min, max }: { readonly min: number; readonly max: number }) => z.preprocess(numberIn, whole.min(min).max(max))
