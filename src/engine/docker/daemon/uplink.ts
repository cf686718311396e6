// Internet access for an engine that has none, while images are built: slirp4netns connects the engine's network namespace to
// what this machine can reach, except its loopback. Sandboxes stay isolated meanwhile by their own networks.

import { spawn } from 'node:child_process'
import { LabError } from '../../../errors.ts'
import type { Daemon } from './daemon.ts'
import { pathsIn } from './paths.ts'

export type Uplink = <T>(work: () => Promise<T>) => Promise<T>

/** For an engine that has internet access anyway. */
export const withoutUplink: Uplink = (work) => work()

const device = 'uplink0'

/** One at a time for all processes of the machine: the program itself holds the lock, which ends with it. */
const command = (lock: string, first: number) => [
  ...['--exclusive', '--no-fork', lock],
  ...['slirp4netns', '--configure', '--mtu=65520', '--disable-host-loopback', '--enable-sandbox', '--enable-seccomp'],
  ...['--exit-fd=3', '--ready-fd=4', String(first), device],
]

/** The program ends when `exit` is closed, also by the end of this process. */
const open = async (lock: string, first: number) => {
  const child = spawn('flock', command(lock, first), { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
  const [exit, ready] = [child.stdio[3], child.stdio[4]]
  if (exit === null || exit === undefined || !('end' in exit) || ready === null || ready === undefined) throw new Error('no pipes')
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-1_000)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  const isReady = await Promise.race([new Promise<boolean>((resolve) => ready.once('data', () => resolve(true))), ended.then(() => false)])
  if (!isReady) {
    throw new LabError(
      'engine_unavailable',
      `images cannot be built: the engine has no access to the internet (${complaint.trim().split('\n').at(-1)})`,
      {
        hint: 'the Debian package slirp4netns must be installed',
      },
    )
  }
  return async () => {
    exit.destroy()
    await ended
  }
}

export const uplinkOf = (folder: string, daemon: Daemon): Uplink => {
  let users = 0
  let opened: ReturnType<typeof open> | undefined
  return async (work) => {
    users += 1
    try {
      opened ??= daemon.first().then((first) => {
        if (first === null) throw new LabError('engine_unavailable', 'the container engine does not run')
        return open(pathsIn(folder).uplink, first)
      })
      await opened
      return await work()
    } finally {
      users -= 1
      if (users === 0) {
        const closing = opened
        opened = undefined
        await closing?.then(
          (close) => close(),
          () => undefined,
        )
      }
    }
  }
}
