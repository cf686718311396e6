import { expect, it } from 'vitest'
import { explainStartError } from './command-start-errors.ts'

const result = (said: string) => ({
  stdout: Buffer.from(said),
  stderr: Buffer.alloc(0),
  stdoutBytes: said.length,
  stderrBytes: 0,
  exitCode: 126,
  timedOut: false,
  durationMs: 1,
})
const failed = 'OCI runtime exec failed: exec failed: unable to start container process: '

it.each([
  [`${failed}exec: "sh": executable file not found in $PATH: unknown\r\n`, 'sh: not found\n'],
  [`${failed}exec /bin/sh: permission denied: unknown\r\n`, 'sh: permission denied\n'],
  [
    `${failed}chdir to cwd ("/srv") set in config.json failed: no such file or directory: unknown\r\n`,
    'the working directory of the container cannot be entered\n',
  ],
  [
    `${failed}error starting setns process: fork/exec /proc/self/exe: resource temporarily unavailable: unknown\r\n`,
    'the container cannot start another process\n',
  ],
  [`${failed}exec /bin/sh: exec format error: unknown\r\n`, 'sh: cannot be run\n'],
  ['', 'sh: cannot be run\n'],
])('%j is told in our words', (said, told) => {
  const { stdout, stderr, exitCode, stdoutBytes, stderrBytes } = explainStartError(result(said), 'sh')
  expect([stdout.toString(), stderr.toString(), exitCode, stdoutBytes, stderrBytes]).toEqual(['', told, 126, 0, told.length])
})

it.each([
  'OCI runtime exec failed: exec failed: cannot exec in a stopped container: unknown\r\n',
  'cannot exec in a stopped state: unknown\r\n',
  'cannot exec in a deleted state: unknown\r\n',
  'no running task found: task 12ab not found: not found\r\n',
  'container 12ab is not running\r\n',
])('%j is no result', (said) => {
  expect(() => explainStartError(result(said), 'sh')).toThrow(expect.objectContaining({ code: 'container_not_running' }))
})
