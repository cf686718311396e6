// Columns that hold JSON: read by the shape that is written to them. Those that belong to one feature have theirs there.

import { z } from 'zod'
import { readAnswer } from '../helper-output.ts'

const Names = z.array(z.string())
const Indexes = z.array(z.int())

export const readNames = (column: string): string[] => readAnswer(Names, column)
export const readIndexes = (column: string): number[] => readAnswer(Indexes, column)
