// Builds images from the folders below images/. Tags are content hashes: an edit gives another image, and installations that
// share an engine share equal images.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parentLine, parentsOf } from '../../image-parents.ts'
import type { Progress } from '../engine.ts'
import type { FileSpec } from '../topology.ts'
import { packFiles, readFolder } from './archive.ts'
import { baseReference, ensureBaseImage } from './base-image.ts'
import { call, type Docker } from './connection.ts'
import { type Uplink, withoutUplink } from './daemon/uplink.ts'

interface Source {
  readonly name: string
  readonly files: readonly FileSpec[]
  readonly parents: readonly string[]
}

const readSource = async (folder: string, name: string): Promise<Source> => {
  const files = await readFolder(join(folder, name)).catch(() => [])
  const dockerfile = files.find((file) => file.path === 'Dockerfile')
  if (dockerfile === undefined) throw new Error(`there is no images/${name}/Dockerfile`)
  return { name, files, parents: parentsOf(dockerfile.content.toString()) }
}

type BuildEvent = { stream?: string; error?: string }

export const createImages = (docker: Docker, folder: string, uplink: Uplink = withoutUplink) => {
  const references = new Map<string, Promise<string>>()
  const builds = new Map<string, Promise<void>>()

  const referenceOf = (name: string): Promise<string> => {
    if (name === 'base') return Promise.resolve(baseReference)
    const known = references.get(name)
    if (known !== undefined) return known
    const reading = (async () => {
      const source = await readSource(folder, name)
      const hash = createHash('sha256')
      for (const parent of source.parents) hash.update(await referenceOf(parent))
      for (const file of source.files) hash.update(`${file.path}\0${file.executable}\0${file.content.length}\0`).update(file.content)
      return `lab/${name}:${hash.digest('hex').slice(0, 12)}`
    })()
    references.set(name, reading)
    reading.catch(() => references.delete(name))
    return reading
  }

  const exists = async (reference: string): Promise<boolean> => {
    const found = await call(() => docker.listImages({ filters: { reference: [reference] } }))
    return found.length > 0
  }

  const build = async (name: string, reference: string, progress: Progress): Promise<void> => {
    const source = await readSource(folder, name)
    for (const parent of source.parents) await ensure(parent, progress)
    const pinned = new Map(await Promise.all(source.parents.map(async (parent) => [parent, await referenceOf(parent)] as const)))
    const files = source.files.map((file) =>
      file.path === 'Dockerfile'
        ? {
            ...file,
            content: Buffer.from(file.content.toString().replace(parentLine, (_, parent: string) => `FROM ${pinned.get(parent)}`)),
          }
        : file,
    )
    progress(`${name}: building`)
    const stream = await call(async () =>
      docker.buildImage((await packFiles(files)) as unknown as NodeJS.ReadableStream, { t: reference, rm: true, forcerm: true }),
    )
    await new Promise<void>((resolve, reject) => {
      const follow = (error: Error | null, events: BuildEvent[] | null) => {
        const failure = error ?? events?.find((event) => event.error !== undefined)
        if (!failure) return resolve()
        reject(new Error(`image ${name}: ${failure instanceof Error ? failure.message : failure.error}`))
      }
      docker.modem.followProgress(stream, follow, (event: BuildEvent) => {
        const line = event.stream?.trim()
        if (line && /^(Step |Unpacking |Setting up )/.test(line)) progress(`${name}: ${line}`)
      })
    })
  }

  const ensure = async (name: string, progress: Progress): Promise<void> => {
    if (name === 'base') return ensureBaseImage(docker, progress, uplink)
    const reference = await referenceOf(name)
    if (await exists(reference)) return
    const underWay = builds.get(reference)
    if (underWay !== undefined) return underWay
    const building = uplink(() => build(name, reference, progress)).finally(() => builds.delete(reference))
    builds.set(reference, building)
    return building
  }

  return {
    referenceOf,
    /** Builds missing images one after the other: building several at once is not faster. */
    ensureAll: async (names: readonly string[], progress: Progress): Promise<void> => {
      for (const name of names) await ensure(name, progress)
    },
  }
}

export type Images = ReturnType<typeof createImages>
