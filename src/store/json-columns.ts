// Columns that hold JSON: read by the shape that is written to them. Those that belong to one feature have theirs there.

import { z } from 'zod'
import { parseCheckedJson } from '../checked-json.ts'

const Names = z.array(z.string())
const Indexes = z.array(z.int())

export const readNames = (column: string): string[] => parseCheckedJson(Names, column)
export const readIndexes = (column: string): number[] => parseCheckedJson(Indexes, column)
