// A container engine for one test, which may be killed: the same as `up` starts, in a folder of its own.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { connectDocker } from '../../src/engine/docker/connection.ts'
import { type DaemonOptions, daemonIn } from '../../src/engine/docker/daemon/daemon.ts'
import { createImages } from '../../src/engine/docker/images.ts'
import { root } from './engine.ts'

/** dockerd alone; with containerd; with containerd and the shims. */
export type Toll = 'daemon' | 'containerd' | 'everything'

const programsOf: Record<Toll, readonly string[]> = {
  daemon: ['dockerd'],
  containerd: ['dockerd', 'containerd'],
  everything: ['dockerd', 'containerd', 'containerd-shim'],
}

const processes = async () => {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = (pid: string) =>
    readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (text) => ({ pid: Number(pid), argv: text.split('\0') }),
      () => ({ pid: 0, argv: [''] }),
    )
  return Promise.all(numbers.map(read))
}

export interface OwnEngineOptions extends DaemonOptions {
  /** Other images that a server would build, and that nothing on this engine runs: their names, each given to the first image. */
  readonly standIns?: readonly string[]
}

export const startOwnEngine = async (images: readonly string[], { standIns = [], ...options }: OwnEngineOptions = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'incident-lab-engine-'))
  const daemon = daemonIn(folder, options)
  const { docker, dockerHost } = daemon

  /** The programs of this engine, recognized by its folder in their arguments. */
  const ours = async (names: readonly string[]) =>
    (await processes()).filter(
      ({ argv }) => names.some((name) => basename(argv[0] ?? '').startsWith(name)) && argv.join(' ').includes(folder),
    )

  const loadImages = async () => {
    const sources = createImages(docker, join(root, 'images'))
    const referencesOf = (these: readonly string[]) => Promise.all(these.map((name) => sources.referenceOf(name)))
    const names = await referencesOf(images)
    const { modem } = connectDocker(readConfig())
    const saved = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      const options = { path: '/images/get?', method: 'GET', options: { names }, isStream: true, statusCodes: { 200: true } }
      modem.dial(options, (error, stream) => (error ? reject(error) : resolve(stream as NodeJS.ReadableStream)))
    })
    const loading = await docker.loadImage(saved)
    await pipeline(loading, async (parts) => {
      for await (const _ of parts);
    })
    for (const reference of await referencesOf(standIns.filter((name) => !images.includes(name)))) {
      const [repo = '', tag = ''] = reference.split(':')
      await docker.getImage(names[0] as string).tag({ repo, tag })
    }
  }

  const close = async () => {
    await daemon.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  try {
    await daemon.start()
    await loadImages()
  } catch (error) {
    await close()
    throw error
  }

  /** One may have ended by itself, or with another, since it was listed. */
  const end = (pid: number) => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  return {
    folder,
    docker,
    dockerHost,
    start: daemon.start,
    processes: daemon.processes,
    /** The pids of its programs: dockerd, containerd and the shims. */
    programs: async (): Promise<number[]> => (await ours(programsOf.everything)).map(({ pid }) => pid),
    kill: async (toll: Toll): Promise<void> => {
      const victims = await ours(programsOf[toll])
      for (const { pid } of victims) end(pid)
      while ((await ours(programsOf[toll])).some(({ pid }) => victims.some((victim) => victim.pid === pid))) await delay(10)
    },
    close,
  }
}

export type OwnEngine = Awaited<ReturnType<typeof startOwnEngine>>
