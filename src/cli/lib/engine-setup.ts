// Finds a container engine; where none answers, installs and starts one, if that is allowed.

import { spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { systemClock } from '../../clock.ts'
import { type Config, isUnattended } from '../../config.ts'
import { answers, connectDocker } from '../../engine/docker/connection.ts'
import type { Progress } from '../../engine/engine.ts'
import { LabError } from '../../errors.ts'
import { aptInstall, run, succeeds } from '../../shell.ts'
import { endProcess, readProcess, recordOf, writeProcess } from './process-file.ts'

const engineFile = (config: Config) => join(config.dataDir, 'engine.json')
const startMs = 60_000

const advice = 'install Docker (on Debian or Ubuntu: apt-get install docker.io) and start it, or set DOCKER_HOST'

const mayInstall = async (allowed: boolean): Promise<boolean> => {
  if (!allowed || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  if (isUnattended()) return true
  const ask = createInterface({ input: process.stdin, output: process.stderr })
  const reply = (await ask.question('No container engine answers. Install and start docker.io now? [Y/n] ')).trim().toLowerCase()
  ask.close()
  return reply === '' || reply.startsWith('y')
}

const waitForEngine = async (config: Config, isStillStarting: () => boolean): Promise<boolean> => {
  const until = performance.now() + startMs
  while (performance.now() < until) {
    if (await answers(connectDocker(config.dockerHost))) return true
    if (!isStillStarting()) return false
    await systemClock.sleep(200)
  }
  return false
}

/** A daemon that was killed leaves its number behind, and takes whoever has that number now for itself. */
const dropStaleNumbers = async (): Promise<void> => {
  const files = { '/var/run/docker.pid': 'dockerd', '/run/docker/containerd/containerd.pid': 'containerd' }
  for (const [file, name] of Object.entries(files)) {
    const pid = (await readFile(file, 'utf8').catch(() => '')).trim()
    if (pid === '') continue
    const running = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
    if (running !== name) await rm(file, { force: true })
  }
}

/** Without systemd, the daemon is a process of ours; containers outlive it. */
const startDaemon = async (config: Config): Promise<void> => {
  if (existsSync('/run/systemd/system')) {
    await run('systemctl', ['start', 'docker'])
    if (await waitForEngine(config, () => true)) return
    throw new LabError('engine_unavailable', 'docker was started by systemd but does not answer', { hint: 'see: journalctl -u docker' })
  }
  await dropStaleNumbers()
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const logFile = join(config.dataDir, 'dockerd.log')
  const log = openSync(logFile, 'a', 0o600)
  const daemon = spawn('dockerd', ['--live-restore'], { detached: true, stdio: ['ignore', log, log] })
  let ended = false
  daemon.once('exit', () => {
    ended = true
  })
  daemon.once('error', () => {
    ended = true
  })
  if (await waitForEngine(config, () => !ended)) {
    if (daemon.pid !== undefined) await writeProcess(engineFile(config), recordOf(daemon.pid))
    return daemon.unref()
  }
  throw new LabError('engine_unavailable', 'dockerd could not be started', { hint: `its reason is at the end of ${logFile}` })
}

/** Resolves when an engine answers. */
export const ensureEngine = async (config: Config, allowInstall: boolean, progress: Progress): Promise<void> => {
  if (await answers(connectDocker(config.dockerHost))) return
  if (config.dockerHost !== undefined) {
    throw new LabError('engine_unavailable', `the container engine at DOCKER_HOST (${config.dockerHost}) does not answer`)
  }
  if (!(await mayInstall(allowInstall))) throw new LabError('engine_unavailable', 'no container engine answers', { hint: advice })
  if (!(await succeeds('dockerd', ['--version']))) {
    progress('no container engine found: installing docker.io')
    await aptInstall(['docker.io', 'iptables'])
  }
  progress('starting the container engine')
  await startDaemon(config)
}

/** True when this data directory's `up` started the engine and it still runs. */
export const startedEngine = async (config: Config): Promise<boolean> => (await readProcess(engineFile(config))) !== null

export const stopEngine = async (config: Config): Promise<void> => {
  const daemon = await readProcess(engineFile(config))
  if (daemon !== null) await endProcess(daemon, 30_000)
  await rm(engineFile(config), { force: true })
}
