// Reads the Perl programs that run in containers. They are passed as an argument of perl, so that no file is needed there.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const beginning = readFileSync(join(import.meta.dirname, 'framing.pl'), 'utf8')

/** The text of a program, with the code for frames that all of them share. */
export const readPerlProgram = (file: string): string => beginning + readFileSync(file, 'utf8')
