// The base of every image: debian:bookworm-slim where it can be pulled, else the same release built with mmdebstrap.

import { spawn } from 'node:child_process'
import { messageOf } from '../../errors.ts'
import { aptInstall, succeeds } from '../../run-program.ts'
import type { Progress } from '../engine.ts'
import type { Docker } from './connection.ts'
import type { Uplink } from './daemon/uplink.ts'

export const baseReference = 'lab/base:bookworm'
const publicImage = 'debian:bookworm-slim'
const makerPackages = ['mmdebstrap', 'debian-archive-keyring']

const exists = async (docker: Docker): Promise<boolean> =>
  docker
    .getImage(baseReference)
    .inspect()
    .then(
      () => true,
      () => false,
    )

const pull = async (docker: Docker): Promise<void> => {
  const stream = await docker.pull(publicImage)
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null) => (error ? reject(error) : resolve()))
  })
  await docker.getImage(publicImage).tag({ repo: 'lab/base', tag: 'bookworm' })
}

/** Not needed here, and half of the size. */
const leftOut = ['doc', 'man', 'info', 'locale', 'lintian', 'bug'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`)

const make = async (docker: Docker): Promise<void> => {
  const maker = spawn('mmdebstrap', ['--quiet', '--variant=minbase', ...leftOut, 'bookworm', '-'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  maker.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000)
  })
  const made = new Promise<void>((resolve, reject) => {
    maker.once('error', reject)
    maker.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`mmdebstrap ended with ${code}: ${complaint.trim()}`))))
  })
  const answer = await docker.importImage(maker.stdout, { repo: 'lab/base', tag: 'making' })
  answer.resume()
  await Promise.all([made, new Promise((resolve) => answer.once('close', resolve))])
  const making = docker.getImage('lab/base:making')
  await making.tag({ repo: 'lab/base', tag: 'bookworm' })
  await making.remove()
}

export const ensureBaseImage = async (docker: Docker, progress: Progress, uplink: Uplink): Promise<void> => {
  if (await exists(docker)) return
  try {
    progress(`pulling ${publicImage}`)
    return await uplink(() => pull(docker))
  } catch (error) {
    progress(`${publicImage} cannot be pulled (${messageOf(error).split(':').at(-1)?.trim()}): making the base image with mmdebstrap`)
  }
  if (!(await succeeds('mmdebstrap', ['--version']))) {
    if (process.getuid?.() !== 0)
      throw new Error(`the base image needs the Debian packages ${makerPackages.join(' and ')}; install them and try again`)
    progress(`installing ${makerPackages.join(' and ')}`)
    await aptInstall(makerPackages)
  }
  await make(docker)
}
