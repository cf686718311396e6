// Programs of ours that run in containers and are stored nowhere: their text is an argument of perl.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const beginning = readFileSync(join(import.meta.dirname, 'framing.pl'), 'utf8')

/** The whole text of a program that talks in frames. */
export const readProgram = (file: string): string => beginning + readFileSync(file, 'utf8')
