// A container engine of a test's own, which may be killed. It lives in namespaces of its own (processes, mounts, network),
// so it meets no other engine of this machine, and nothing of it is left when the first process in there ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, openSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { answers, connectDocker } from '../../src/engine/docker/connection.ts'
import { createImages } from '../../src/engine/docker/images.ts'
import { succeeds } from '../../src/shell.ts'
import { root } from './engine.ts'

/** dockerd alone; with its containerd; with everything that watches over its containers. */
export type Toll = 'daemon' | 'containerd' | 'everything'

const programsOf: Record<Toll, readonly string[]> = {
  daemon: ['dockerd'],
  containerd: ['dockerd', 'containerd'],
  everything: ['dockerd', 'containerd', 'containerd-shim'],
}

/** The first process in there buries the others: a daemon takes its unburied predecessor for alive. */
const firstProcess = 'ip link set lo up; while :; do sleep 1; done'
const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child', '--propagation', 'private']

const processes = async () => {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = (pid: string) =>
    readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (text) => ({ pid: Number(pid), argv: text.split('\0') }),
      () => ({ pid: 0, argv: [''] }),
    )
  return Promise.all(numbers.map(read))
}

const endOf = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })

export const startOwnEngine = async (images: readonly string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'incident-lab-engine-'))
  const dockerHost = `unix://${join(folder, 'docker.sock')}`
  const docker = connectDocker(dockerHost)
  const cgroup = basename(folder)
  const holder = spawn('unshare', [...namespaces, 'sh', '-c', firstProcess], { stdio: 'ignore' })

  /** Programs of this engine, known by the folder that they were given. */
  const ours = async (names: readonly string[]) =>
    (await processes()).filter(
      ({ argv }) => names.some((name) => basename(argv[0] ?? '').startsWith(name)) && argv.join(' ').includes(folder),
    )

  const inside = async (): Promise<number> => {
    for (;;) {
      const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8')
      if (children.trim() !== '') return Number(children)
      await delay(10)
    }
  }

  const start = async ({ liveRestore = false } = {}): Promise<void> => {
    for (const file of ['dockerd.pid', 'exec/containerd/containerd.pid']) await rm(join(folder, file), { force: true })
    const log = openSync(join(folder, 'log'), 'a')
    const daemon = ['dockerd', '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '-H', dockerHost]
    const place = ['--pidfile', join(folder, 'dockerd.pid'), '--cgroup-parent', `/${cgroup}`, ...(liveRestore ? ['--live-restore'] : [])]
    const target = ['--target', String(await inside()), '--net', '--mount', '--pid']
    const child = spawn('nsenter', [...target, ...daemon, ...place], { stdio: ['ignore', log, log] })
    for (let attempt = 0; !(await answers(docker)); attempt += 1) {
      const text = child.exitCode === null && attempt < 600 ? null : await readFile(join(folder, 'log'), 'utf8')
      if (text !== null) throw new Error(`dockerd did not start: ${text.slice(-2000)}`)
      await delay(100)
    }
  }

  const loadImages = async () => {
    const sources = createImages(docker, join(root, 'images'))
    const names = await Promise.all(images.map((name) => sources.referenceOf(name)))
    const { modem } = connectDocker(readConfig().dockerHost)
    const saved = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      const options = { path: '/images/get?', method: 'GET', options: { names }, isStream: true, statusCodes: { 200: true } }
      modem.dial(options, (error, stream) => (error ? reject(error) : resolve(stream as NodeJS.ReadableStream)))
    })
    const loading = await docker.loadImage(saved)
    await pipeline(loading, async (parts) => {
      for await (const _ of parts);
    })
  }

  const close = async () => {
    holder.kill('SIGKILL')
    await endOf(holder)
    const groups = () => globSync(`/sys/fs/cgroup/*/${cgroup}`)
    for (let attempt = 0; groups().length > 0; attempt += 1) {
      if (attempt > 100) throw new Error(`${groups()} cannot be removed`)
      await succeeds('find', [...groups(), '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'])
      await delay(50)
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  try {
    await start()
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
    docker,
    dockerHost,
    start,
    kill: async (toll: Toll): Promise<void> => {
      const victims = await ours(programsOf[toll])
      for (const { pid } of victims) end(pid)
      while ((await ours(programsOf[toll])).some(({ pid }) => victims.some((victim) => victim.pid === pid))) await delay(10)
    },
    close,
  }
}

export type OwnEngine = Awaited<ReturnType<typeof startOwnEngine>>
