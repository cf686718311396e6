// A container engine of our own: dockerd with user namespaces, in network, mount and process namespaces of its own. It shares
// no rule, bridge, route, mount or pid with the machine or with another engine there, so neither touches the
// other, and what breaks out of a sandbox's network finds neither the machine nor a way out (docs/adr/0015).

import { spawn } from 'node:child_process'
import { appendFileSync, globSync, openSync, readFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isLabError, LabError, messageOf } from '../../../errors.ts'
import { poll, retry } from '../../../polling.ts'
import { claim, endProcess, isAlive, type ProcessRecord, readProcess, recordOf, startTicks, writeProcess } from '../../../process-file.ts'
import { succeeds } from '../../../run-program.ts'
import { answers, connectDocker, type Docker } from '../connection.ts'
import { engineCgroupOf, inCgroups, makeCgroups } from './cgroups.ts'
import { lastWords, shortenLog } from './daemon-log.ts'
import { repairHalfDeletedNetworks } from './half-deleted-networks.ts'
import { boundingRuntime, cgroupOf, pathsIn } from './paths.ts'

const startMs = 60_000
const stopMs = 15_000
const removeGroupsMs = 10_000
/** Between two looks at what is starting or ending. */
const pauseMs = 50
const scripts = ['init.sh', 'runtime.sh', 'create.pl', 'bound.sh', 'throttle-output.pl', 'kernel-memory.pl']
const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child', '--propagation', 'private']

const settings = (folder: string, liveRestore: boolean, userNamespaces: boolean) => {
  const files = pathsIn(folder)
  return {
    hosts: [`unix://${files.socket}`],
    'data-root': files.data,
    'exec-root': files.exec,
    pidfile: files.pid,
    'cgroup-parent': `/${cgroupOf(folder)}`,
    // The systemd driver accepts slices only, and would refuse this parent.
    'exec-opts': ['native.cgroupdriver=cgroupfs'],
    ...(userNamespaces ? { 'userns-remap': 'default' } : {}),
    'live-restore': liveRestore,
    'log-level': 'error', // a dozen lines for every container otherwise
    runtimes: { [boundingRuntime]: { path: join(folder, 'runtime.sh') } },
    'default-runtime': boundingRuntime,
  }
}

const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** The one child of the process that made the namespaces: pid 1 in there. */
const firstOf = (holder: ProcessRecord): number | null => {
  try {
    const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim()
    return /^\d+$/.test(children) ? Number(children) : null
  } catch {
    return null
  }
}

export interface DaemonOptions {
  /** Off only in tests that show what an engine without them allows. */
  readonly userNamespaces?: boolean
}

export const daemonIn = (folder: string, { userNamespaces = true }: DaemonOptions = {}) => {
  const files = pathsIn(folder)
  const dockerHost = `unix://${files.socket}`
  const docker: Docker = connectDocker({ dockerHost })

  const holderOf = () => readProcess(files.record)

  const unavailable = (message: string) =>
    new LabError('engine_unavailable', message, {
      hint: `the reason is at the end of ${files.log}; or set DOCKER_HOST to use another container engine`,
    })

  const layOut = async (liveRestore: boolean) => {
    await mkdir(folder, { recursive: true, mode: 0o711 })
    await chmod(folder, 0o711) // mapped users of sandboxes need to pass through to their files
    for (const script of scripts) {
      await copyFile(join(import.meta.dirname, script), join(folder, script))
      await chmod(join(folder, script), 0o755)
    }
    await shortenLog(files.log)
    await writeFile(files.resolver, 'nameserver 10.0.2.3\n')
    await writeFile(files.settings, JSON.stringify(settings(folder, liveRestore, userNamespaces), null, 2))
  }

  const makeNamespaces = async (): Promise<ProcessRecord> => {
    const log = openSync(files.log, 'a', 0o600)
    const watch = [join(folder, 'kernel-memory.pl'), cgroupOf(folder)]
    const child = spawn('unshare', [...namespaces, 'sh', join(folder, 'init.sh'), files.resolver, ...watch], {
      detached: true,
      cwd: '/',
      stdio: ['ignore', 'pipe', log],
    })
    const made = await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false))
      child.once('exit', () => resolve(false))
      child.stdout?.once('data', () => resolve(true))
    })
    child.stdout?.destroy()
    child.unref()
    if (!made || child.pid === undefined) throw unavailable('the namespaces of the container engine could not be created')
    const record = recordOf(child.pid)
    await writeProcess(files.record, record)
    return record
  }

  /** A daemon that was killed leaves its pid file behind. The next one would not start if that pid is in use again. */
  const removeStalePidFiles = async (first: number) => {
    for (const [file, name] of [
      [files.pid, 'dockerd'],
      [files.containerdPid, 'containerd'],
    ] as const) {
      const pid = (await readFile(file, 'utf8').catch(() => '')).trim()
      const running = await readFile(`/proc/${first}/root/proc/${pid}/comm`, 'utf8').catch(() => '')
      if (running.trim() !== name) await rm(file, { force: true })
    }
  }

  const startDaemon = async (first: number) => {
    await removeStalePidFiles(first)
    await repairHalfDeletedNetworks(files.data)
    const log = openSync(files.log, 'a', 0o600)
    const into = ['--target', String(first), '--net', '--mount', '--pid']
    const [program, ...args] = inCgroups(await makeCgroups(folder), ['nsenter', ...into, 'dockerd', '--config-file', files.settings])
    const child = spawn(program, args, {
      detached: true,
      cwd: '/',
      stdio: ['ignore', log, log],
    })
    let ended = false
    const end = () => {
      ended = true
    }
    child.once('exit', end).once('error', end)
    const isUp = await poll(
      () => answers(docker),
      (answered) => answered || ended,
      { pauseMs, withinMs: startMs },
    )
    if (!isUp)
      throw unavailable(
        `the container engine ${ended ? 'ended while it started' : 'did not answer in time'}: ${await lastWords(files.log)}`,
      )
    child.unref()
  }

  /**
   * What a killed engine left behind may keep the next one from starting: containerd takes five seconds for each half-created
   * task, and dockerd waits fifteen for containerd. Each attempt clears some of it. The last attempt starts in new namespaces,
   * which ends the containers that still ran.
   */
  const startPersistently = async (): Promise<void> => {
    for (const next of ['again', 'anew', 'never'] as const) {
      const holder = (await holderOf()) ?? (await makeNamespaces())
      const first = firstOf(holder)
      if (first === null || !isAlive(holder)) throw unavailable('the namespaces of the container engine have ended')
      try {
        return await startDaemon(first)
      } catch (error) {
        if (next === 'never') throw error
        appendFileSync(files.log, `the engine did not start; trying ${next}: ${messageOf(error)}\n`)
        if (next === 'anew') await endProcess(holder, 0)
      }
    }
  }

  /** Waits while another process starts the same engine. */
  const claimStart = () =>
    retry(() => claim(files.starting, `the container engine in ${folder}`), isLabError, { pauseMs: () => pauseMs, withinMs: startMs })

  const removeGroups = async () => {
    const groups = () => globSync(`/sys/fs/cgroup/{*/,}{${cgroupOf(folder)},${engineCgroupOf(folder)}}`)
    const removeEmpty = async () => {
      const there = groups()
      if (there.length > 0) await succeeds('find', [...there, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'])
      return groups().length === 0
    }
    await poll(removeEmpty, Boolean, { pauseMs, withinMs: removeGroupsMs })
  }

  return {
    docker,
    dockerHost,
    folder,
    passedCheckFile: files.passedCheck,

    /** Tells this run of the engine from every other: its first process and its daemon; null while it does not run. */
    processes: async (): Promise<string | null> => {
      const holder = await holderOf()
      const first = holder === null ? null : firstOf(holder)
      const pid = Number((await readFile(files.pid, 'utf8').catch(() => '')).trim())
      const started = first === null || !(pid > 1) ? null : startTicks(pid, `/proc/${first}/root/proc`)
      return holder === null || started === null ? null : [bootId(), holder.pid, holder.started, pid, started].join(' ')
    },

    /** The pid on this machine of pid 1 in its namespaces; null while it does not run. */
    first: async (): Promise<number | null> => {
      const holder = await holderOf()
      return holder === null ? null : firstOf(holder)
    },

    /** Resolves when it answers. Containers that outlived an earlier daemon in the same namespaces keep running (live restore). */
    start: async ({ liveRestore = true } = {}): Promise<void> => {
      await mkdir(folder, { recursive: true, mode: 0o711 })
      await claimStart()
      try {
        if (await answers(docker)) return
        await layOut(liveRestore)
        await startPersistently()
      } finally {
        await rm(files.starting, { force: true })
      }
    },

    /** Stops it with everything that runs in it. Images and container files stay. */
    stop: async (): Promise<void> => {
      const holder = await holderOf()
      if (holder !== null) {
        const first = firstOf(holder)
        const pid = Number((await readFile(files.pid, 'utf8').catch(() => '')).trim())
        // dockerd first, so that it saves its state; then the namespaces, with whatever is left in them.
        if (first !== null && pid > 1)
          await succeeds('nsenter', ['--target', String(first), '--pid', '--mount', 'kill', '-TERM', String(pid)])
        await poll(
          () => answers(docker),
          (isUp) => !isUp,
          { pauseMs, withinMs: stopMs },
        )
        await endProcess(holder, 0)
      }
      await rm(files.record, { force: true })
      await rm(files.socket, { force: true })
      await removeGroups()
    },
  }
}

export type Daemon = ReturnType<typeof daemonIn>
