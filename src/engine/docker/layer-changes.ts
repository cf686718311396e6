// What a container changed of the files of its image, read where the engine keeps them: no program of the container is asked. Where
// that is no overlayfs, the engine tells; it compares all files of the image with all of the container, by size and time, which
// takes a hundred times as long and misses whoever sets a time back.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { readAnswer } from '../../helper-output.ts'
import { ChannelClosed, type Lines, openLines } from '../../line-channel.ts'
import type { FileChange } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { type LayerFolders, layersOf } from './engine-answers.ts'
import type { ExecChannel } from './exec.ts'
import { openAnswer, readWithin } from './long-answers.ts'

const program = ['python3', '/opt/probe/layer_changes.py']
const kinds = ['changed', 'added', 'deleted'] as const
const Changes = z.object({ changes: z.array(z.object({ kind: z.enum(kinds), path: z.string() })).nullable() })
const withinMs = 8_000
const answerMs = 10_000

const EngineChanges = z.array(z.object({ Path: z.string(), Kind: z.union([z.literal(0), z.literal(1), z.literal(2)]) })).nullable()
/** Names of a few bytes on the disk become many more here: links to one file cost nothing, and every name repeats its folders. */
const mostBytes = 8 * 1024 ** 2

/** The engine mounts its own init program: a new file, and so a changed folder. */
const isInitMount = ({ kind, path }: FileChange) =>
  (kind === 'added' && /^(\/usr)?\/sbin\/docker-init$/.test(path)) || (kind === 'changed' && /^(\/usr)?\/sbin$/.test(path))

/** A folder is changed by whatever changes in it; whether it was changed itself is not told. */
const withoutFolders = (changes: readonly FileChange[]): FileChange[] => {
  const folders = new Set(changes.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
  return changes.filter(({ kind, path }) => !(kind === 'changed' && folders.has(path)))
}

export const changesByEngine = async (container: Container): Promise<FileChange[] | null> => {
  const answer = await readWithin(mostBytes, await openAnswer(container, `/containers/${container.id}/changes`))
  if (answer === null) return null
  const found = readAnswer(EngineChanges, answer) ?? []
  return withoutFolders(found.map(({ Path, Kind }) => ({ kind: kinds[Kind], path: Path })))
}

export interface LayerChangesDeps {
  readonly docker: Docker
  /** Runs a program beside the engine, with the engine's folder. */
  readonly start: (argv: readonly string[]) => Promise<ExecChannel>
}

export const createLayerChanges = ({ docker, start }: LayerChangesDeps) => {
  let reader: Promise<Lines> | undefined

  const open = async (): Promise<Lines> => {
    const channel = await start(program)
    channel.keepAlive(false) // whoever asks waits by a timer
    void channel.finished.then(() => {
      reader = undefined
    })
    return openLines(channel)
  }

  const read = async (layers: LayerFolders): Promise<FileChange[] | null> => {
    reader ??= open()
    reader.catch(() => {
      reader = undefined
    })
    return (await (await reader).ask({ ...layers, within_ms: withinMs }, Changes, answerMs)).changes
  }

  /** One that has ended is started once more: it leaves when nobody has asked for a while, and an engine that restarts takes it along. */
  const readOnceOrTwice = (layers: LayerFolders) =>
    read(layers).catch((error: unknown) => {
      if (!(error instanceof ChannelClosed)) throw error
      reader = undefined
      return read(layers)
    })

  /** Null when there is more than can be looked at. */
  return async (id: string): Promise<FileChange[] | null> => {
    const container = docker.getContainer(id)
    const layers = layersOf((await call(() => container.inspect())).GraphDriver)
    const changes = layers === null ? await changesByEngine(container) : await readOnceOrTwice(layers)
    return changes?.filter((change) => !isInitMount(change)) ?? null
  }
}
