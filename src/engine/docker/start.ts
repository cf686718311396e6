// Starting a container that users have been in. Docker itself opens two of its files to look up a user, and waits for as long
// as they make it wait: a pipe in their place would hold the engine's lock on the container for good, and a large file takes
// a hundred times its size of the engine's memory. While a container does not run, nothing in it can change; so it is looked
// at before it is started.

import type { IncomingMessage } from 'node:http'
import type { Container } from 'dockerode'
import { z } from 'zod'
import { isLabError, LabError } from '../../errors.ts'
import { readAnswer } from '../../helper-output.ts'
import { call } from './connection.ts'

const lookedUp = ['/etc/passwd', '/etc/group']
const mostBytes = 256 * 1024
const PathStat = z.object({ mode: z.number(), size: z.number() })
/** The bits of a mode, as Go has them, that say it is not a regular file. */
const notRegular = [31, 27, 26, 25, 24, 21, 19].reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n)

/** Whether a file is one that can be read to its end, soon, or is not there at all. */
const isPlain = async (container: Container, path: string): Promise<boolean> => {
  try {
    const answer = (await call(() => container.infoArchive({ path }))) as IncomingMessage
    answer.resume() // it has no body, but its connection is held until that is known
    const told = String(answer.headers['x-docker-container-path-stat'] ?? '')
    const { mode, size } = readAnswer(PathStat, Buffer.from(told, 'base64').toString())
    return (BigInt(mode) & notRegular) === 0n && size <= mostBytes
  } catch (error) {
    if (isLabError(error, 'not_found')) return true
    throw error
  }
}

/** Throws container_not_running when a stopped container cannot be started without harm. */
export const requireStartable = async (container: Container): Promise<void> => {
  for (const path of lookedUp) {
    if (await isPlain(container, path)) continue
    throw new LabError(
      'container_not_running',
      `the container cannot be started: its ${path} is not a regular file of at most ${mostBytes} bytes`,
      {
        hint: 'start another sandbox',
      },
    )
  }
}
