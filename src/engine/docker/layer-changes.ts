// What a container changed of the files of its image, read where the engine keeps them: no program of the container is asked. Where
// that is no overlayfs, `docker diff` is.

import { z } from 'zod'
import { type Lines, NoAnswer, openLines } from '../../line-channel.ts'
import type { FileChange } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { dockerDiff } from './docker-diff.ts'
import { type LayerFolders, layersOf } from './docker-responses.ts'
import type { ExecChannel } from './exec.ts'

const program = ['python3', '/opt/probe/layer_changes.py']
const kinds = ['changed', 'added', 'deleted'] as const
const Change = z.object({ kind: z.enum(kinds), path: z.string(), opened: z.literal(true).optional(), rights: z.string().optional() })
const Changes = z.object({ changes: z.array(Change).nullable() })
const withinMs = 8_000
const answerMs = 10_000

const Nothing = z.object({})
const initMount = /^(\/usr)?\/sbin\/docker-init$/
/** The engine mounts its own init program there. */
const isInitMount = ({ kind, path }: FileChange) => kind === 'added' && initMount.test(path)

export interface LayerChangesDeps {
  readonly docker: Docker
  /** The container beside the engine that has the engine's folder, as it is now. */
  readonly container: () => Promise<string>
  /** Runs a program in it. */
  readonly start: (argv: readonly string[]) => Promise<ExecChannel>
}

interface Reader {
  readonly containerId: string
  readonly lines: Lines
}

export const createLayerChanges = ({ docker, container, start }: LayerChangesDeps) => {
  let known: Reader | undefined
  let opening: Promise<Reader> | undefined

  const forget = (reader: Reader) => {
    if (known === reader) known = undefined
  }

  const open = async (): Promise<Reader> => {
    const channel = await start(program)
    channel.keepAlive(false) // whoever asks waits by a timer
    const reader = { containerId: channel.containerId, lines: openLines(channel) }
    void channel.finished.then(() => forget(reader))
    known = reader
    return reader
  }

  /** One for all who ask, in the container as it is now. */
  const current = async (): Promise<Reader> => {
    const id = await container()
    if (known?.containerId === id) return known
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }

  /** One that has ended is started once more: it leaves when nobody has asked for a while, and an engine that restarts takes it along. */
  const ask = async <Schema extends z.ZodType>(request: LayerFolders | null, schema: Schema, mayRetry = true): Promise<z.infer<Schema>> => {
    const reader = await current()
    try {
      return await reader.lines.ask({ ...request, within_ms: withinMs }, schema, answerMs)
    } catch (error) {
      if (!(error instanceof NoAnswer) || !mayRetry) throw error
      forget(reader)
      void reader.lines.close()
      return ask(request, schema, false)
    }
  }

  return {
    /** Null when there is more than can be looked at. */
    of: async (id: string): Promise<FileChange[] | null> => {
      const container = docker.getContainer(id)
      const layers = layersOf((await call(() => container.inspect())).GraphDriver)
      const changes = layers === null ? await dockerDiff(container) : (await ask(layers, Changes)).changes
      return changes?.filter((change) => !isInitMount(change)) ?? null
    },
    nothing: async (): Promise<void> => {
      await ask(null, Nothing)
    },
  }
}
