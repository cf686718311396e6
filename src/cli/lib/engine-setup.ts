// Finds or starts a container engine. If the environment names none and the user is root, a dockerd of our own is used, installed
// and started if that is allowed, independent of any Docker of the machine.

import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Config, isUnattended } from '../../config.ts'
import { answers, connectDocker } from '../../engine/docker/connection.ts'
import { daemonIn } from '../../engine/docker/daemon/daemon.ts'
import { raiseKernelLimits } from '../../engine/docker/daemon/kernel-limits.ts'
import type { Progress } from '../../engine/engine.ts'
import { LabError } from '../../errors.ts'
import { aptInstall, succeeds } from '../../run-program.ts'

/** Programs that an engine of our own needs, each with the Debian package that has it. */
const needed = {
  dockerd: ['docker.io'],
  iptables: ['iptables'],
  ip: ['iproute2'],
  slirp4netns: ['slirp4netns'],
  useradd: ['passwd'],
} as const

const advice = 'run as root, so that one can be started, or set DOCKER_HOST'

/** Marks the data directory whose `up` started the engine. */
const markFile = (config: Config) => join(config.dataDir, 'started-engine')

const missingPackages = async (): Promise<string[]> => {
  const packages: string[] = []
  for (const [program, names] of Object.entries(needed)) {
    if (!(await succeeds('sh', ['-c', 'command -v "$0"', program]))) packages.push(...names)
  }
  return packages
}

const mayInstall = async (allowed: boolean, packages: readonly string[]): Promise<boolean> => {
  if (!allowed || !existsSync('/usr/bin/apt-get')) return false
  if (isUnattended()) return true
  const ask = createInterface({ input: process.stdin, output: process.stderr })
  const reply = (await ask.question(`A container engine is needed. Install ${packages.join(', ')} now? [Y/n] `)).trim().toLowerCase()
  ask.close()
  return reply === '' || reply.startsWith('y')
}

const startOwn = async (config: Config, folder: string, allowed: boolean, progress: Progress): Promise<void> => {
  const packages = await missingPackages()
  if (packages.length > 0) {
    if (!(await mayInstall(allowed, packages))) {
      throw new LabError('engine_unavailable', `no container engine answers, and ${packages.join(', ')} are not installed`, {
        hint: `apt-get install ${packages.join(' ')}, or set DOCKER_HOST`,
      })
    }
    progress(`installing ${packages.join(', ')}`)
    await aptInstall(packages)
  }
  progress('starting the container engine')
  await daemonIn(folder).start()
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  await writeFile(markFile(config), '', { mode: 0o600 })
}

/** Resolves when an engine answers. */
export const ensureEngine = async (config: Config, mayStart: boolean, progress: Progress): Promise<void> => {
  if (config.engineDir !== undefined) await raiseKernelLimits()
  if (await answers(connectDocker(config))) return
  if (config.dockerHost !== undefined) {
    throw new LabError('engine_unavailable', `the container engine at DOCKER_HOST (${config.dockerHost}) does not answer`)
  }
  if (config.engineDir === undefined || !mayStart) {
    throw new LabError('engine_unavailable', 'no container engine answers', { hint: advice })
  }
  await startOwn(config, config.engineDir, mayStart, progress)
}

/** True when this data directory's `up` started the engine. */
export const startedEngine = (config: Config): boolean => config.engineDir !== undefined && existsSync(markFile(config))

export const stopEngine = async (config: Config): Promise<void> => {
  if (config.engineDir !== undefined) await daemonIn(config.engineDir).stop()
  await rm(markFile(config), { force: true })
}
