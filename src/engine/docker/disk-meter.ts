// Disk use of sandboxes, and free space. Free space is read directly where the engine's data folder is on this machine. Sizes are
// measured by a long-lived container on the engine's host, which needs no disk space to answer, or else estimated from the
// engine's own figures.

import { statfs } from 'node:fs/promises'
import type { Container, ContainerInfo } from 'dockerode'
import { z } from 'zod'
import { stopwatch } from '../../clock.ts'
import { isLabError, messageOf } from '../../errors.ts'
import { type Lines, openLines } from '../../line-channel.ts'
import { createSemaphore } from '../../semaphore.ts'
import type { DiskMeter, DiskRoom, DiskUse } from '../engine.ts'
import { call, type Docker, ignoreMissing } from './connection.ts'
import { meterContainer } from './container-options.ts'
import { layersOf, readInfo, writtenBytesOf } from './docker-responses.ts'
import { attachAndStart } from './follow-command.ts'
import { labelFilter, labelKeys } from './labels.ts'
import { plainStream } from './streams.ts'

export interface DiskMeterDeps {
  readonly docker: Docker
  readonly installation: string
  readonly probeImage: () => Promise<string>
}

const Answer = z.object({
  free: z.object({ bytes: z.number(), files: z.number(), total_bytes: z.number() }),
  sandboxes: z.record(z.string(), z.object({ bytes: z.number(), hides: z.boolean() })),
})

const measureMs = 30_000
const lasting = ['service', 'probe']

const sandboxOf = ({ Labels }: ContainerInfo): string => Labels[labelKeys.sandbox] ?? ''

const localRoom = async (folder: string): Promise<DiskRoom | null> => {
  try {
    const { bavail, bsize, ffree, blocks } = await statfs(folder)
    return { freeBytes: bavail * bsize, freeFiles: ffree, totalBytes: blocks * bsize }
  } catch {
    return null
  }
}

/** Sizes as the engine reports them: lengths instead of blocks, without deleted files. */
export const usesByEngine = async (docker: Docker, installation: string): Promise<ReadonlyMap<string, DiskUse>> => {
  const containers = await call(() => docker.listContainers({ all: true, size: true, filters: labelFilter({ installation }) }))
  const uses = new Map<string, DiskUse>()
  for (const container of containers) {
    const written = writtenBytesOf(container)
    const sandbox = sandboxOf(container)
    if (sandbox !== '') uses.set(sandbox, { bytes: (uses.get(sandbox)?.bytes ?? 0) + written, hides: false })
  }
  return uses
}

export const createDiskMeter = ({ docker, installation, probeImage }: DiskMeterDeps): DiskMeter => {
  const inTurn = createSemaphore(1)
  const layers = new Map<string, string | null>()
  let engineFolder: string | undefined
  let isLocal = false
  let open: { readonly container: Container; readonly lines: Lines } | undefined

  const folder = async (): Promise<string> => {
    engineFolder ??= (await readInfo(docker)).DockerRootDir
    return engineFolder
  }

  const drop = async () => {
    const dropped = open
    open = undefined
    if (dropped === undefined) return
    await dropped.lines.close()
    await ignoreMissing(() => dropped.container.remove({ force: true, v: true }))
  }

  const openMeter = async (): Promise<Lines> => {
    if (open !== undefined) return open.lines
    const container = await call(async () => {
      const options = meterContainer(installation, await probeImage(), await folder())
      return docker.createContainer({ ...options, OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true })
    })
    try {
      const raw = await attachAndStart(container)
      open = { container, lines: openLines({ stream: plainStream(raw), close: async () => void raw.destroy() }) }
    } catch (error) {
      await ignoreMissing(() => container.remove({ force: true, v: true }))
      throw error
    }
    return open.lines
  }

  /** The folder of a container's writable layer; null where the storage driver has none. It never changes. */
  const layerOf = async (id: string): Promise<string | null> => {
    const known = layers.get(id)
    if (known !== undefined) return known
    const { GraphDriver: driver } = await call(() => docker.getContainer(id).inspect())
    const layer = layersOf(driver)?.upper ?? null
    layers.set(id, layer)
    return layer
  }

  const targets = async () => {
    const root = await folder()
    const listed = await call(() => docker.listContainers({ all: true, filters: labelFilter({ installation }) }))
    const containers = listed.filter(({ Labels }) => lasting.includes(Labels[labelKeys.role] ?? ''))
    const ids = new Set(containers.map(({ Id }) => Id))
    for (const id of layers.keys()) if (!ids.has(id)) layers.delete(id)
    const found: { id: string; sandbox: string; folders: string[] }[] = []
    for (const container of containers) {
      const layer = await layerOf(container.Id).catch(() => undefined)
      if (layer === null) throw new Error('the engine keeps the files of its containers where they cannot be measured')
      // The second folder has the log, and hostname, hosts and resolv.conf, which a container can write to outside its layer.
      if (layer !== undefined)
        found.push({ id: container.Id, sandbox: sandboxOf(container), folders: [layer, `${root}/containers/${container.Id}`] })
    }
    return found
  }

  const measureExactly = async (enough: number): Promise<Awaited<ReturnType<DiskMeter['measure']>>> => {
    const containers = await targets()
    try {
      const question = { folder: await folder(), enough, containers }
      const { free, sandboxes } = await (await openMeter()).ask(question, Answer, measureMs)
      const room = { freeBytes: free.bytes, freeFiles: free.files, totalBytes: free.total_bytes }
      isLocal = (await localRoom(await folder()))?.totalBytes === room.totalBytes
      return { room, uses: new Map(Object.entries(sandboxes)), roughBecause: null }
    } catch (error) {
      await drop()
      throw error
    }
  }

  /** A meter that has ended is started again once. One that timed out is not asked again. */
  const measureWithRetry = async (enough: number) => {
    const elapsed = stopwatch()
    try {
      return await measureExactly(enough)
    } catch (error) {
      if (isLabError(error, 'engine_unavailable') || elapsed() > measureMs / 2) throw error
      return measureExactly(enough)
    }
  }

  return {
    room: async () => (isLocal ? localRoom(await folder()) : null),

    measure: (enough) =>
      inTurn(async () => {
        try {
          return await measureWithRetry(enough)
        } catch (error) {
          if (isLabError(error, 'engine_unavailable')) throw error
          const uses = await usesByEngine(docker, installation)
          return { room: isLocal ? await localRoom(await folder()) : null, uses, roughBecause: messageOf(error) }
        }
      }),

    close: () => inTurn(drop),
  }
}
