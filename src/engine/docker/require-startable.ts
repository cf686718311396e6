// Checks a stopped container before it is started again. Docker reads /etc/passwd and /etc/group of the container itself: a named
// pipe in their place would block the engine's lock on the container for ever, and a large file takes a hundred times its size
// in the engine's memory. The files cannot change while the container is stopped, so they are checked first.

import type { IncomingMessage } from 'node:http'
import type { Container } from 'dockerode'
import { z } from 'zod'
import { parseCheckedJson } from '../../checked-json.ts'
import { isLabError, LabError } from '../../errors.ts'
import { call } from './connection.ts'

const lookedUp = ['/etc/passwd', '/etc/group']
const mostBytes = 256 * 1024
const PathStat = z.object({ mode: z.number(), size: z.number() })
/** The bits of Go's os.FileMode that mark what is not a regular file. */
const notRegular = [31, 27, 26, 25, 24, 21, 19].reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n)

/** Whether a path is a regular file of limited size, or does not exist. */
const isPlain = async (container: Container, path: string): Promise<boolean> => {
  try {
    const answer = (await call(() => container.infoArchive({ path }))) as IncomingMessage
    answer.resume() // there is no body, but the connection is only released when it was read
    const told = String(answer.headers['x-docker-container-path-stat'] ?? '')
    const { mode, size } = parseCheckedJson(PathStat, Buffer.from(told, 'base64').toString())
    return (BigInt(mode) & notRegular) === 0n && size <= mostBytes
  } catch (error) {
    if (isLabError(error, 'not_found')) return true
    throw error
  }
}

/** Throws container_not_running when a stopped container cannot be started safely. */
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
