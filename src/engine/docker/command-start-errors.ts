// A command that the engine could not start. The engine prints its reason where the output of the command would be, in words about its
// runtime and its files; here it is told in ours.

import type { CommandResult } from '../engine.ts'
import { containerNotRunning } from './connection.ts'

const gone = /\b(?:stopped|deleted|paused)\b|not running|no running task|task \S+ not found/i

const reasons: readonly (readonly [said: RegExp, tell: (program: string) => string])[] = [
  [/chdir to cwd|current working directory/i, () => 'the working directory of the container cannot be entered'],
  [/executable file not found|no such file or directory/i, (program) => `${program}: not found`],
  [/permission denied|operation not permitted/i, (program) => `${program}: permission denied`],
  [/resource temporarily unavailable|cannot allocate memory|no space left/i, () => 'the container cannot start another process'],
]

/** Throws container_not_running. */
export const explainStartError = (result: CommandResult, program: string): CommandResult => {
  const said = result.stdout.toString()
  if (gone.test(said)) throw containerNotRunning(new Error(said.trim()))
  const [, tell] = reasons.find(([pattern]) => pattern.test(said)) ?? [null, () => `${program}: cannot be run`]
  const stderr = Buffer.from(`${tell(program)}\n`)
  return { ...result, stdout: Buffer.alloc(0), stdoutBytes: 0, stderr, stderrBytes: stderr.length }
}
