// Records the output of terminals and commands on disk, up to a limit for each sandbox. Input is not recorded. Nothing waits for the
// recorder, and its failures affect nothing else. recordings.ts reads recordings.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { CommandResult } from '../../engine/engine.ts'
import { messageOf } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { Log } from '../../log.ts'
import { type CastWriter, castHeader, commandLabel, commandText, createCastWriter, timestampOf } from './asciicast.ts'
import { type CastFile, createCastFile, type WriteRoom } from './asciicast-file.ts'
import { fileNameOf, listRecordingFiles, type RecordingFile } from './recording-files.ts'

export interface CastRecording {
  output(chunk: Buffer): void
  resize(columns: number, rows: number): void
  close(): void
}

export interface RecorderDeps {
  /** Has one folder for each sandbox. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  readonly limits: { readonly recordingBytes: number }
}

/** Reserved for the notice at the end of each recording. */
const noticeBytes = 512
const mostRecordings = 200
const waitingBytes = 32 * 1024 * 1024
const commandSize = { columns: 120, rows: 40 }
/** The buffer of one terminal until its folder exists. */
const mostEarlyBytes = 256 * 1024
const eventBytes = 64
const tooSlow = 'the disk is too slow'

export interface TerminalSubject {
  readonly sandbox: string
  readonly container: string
  readonly columns: number
  readonly rows: number
}

/** All recordings of one sandbox. */
interface RecordingSet {
  readonly folder: string
  /** Resolves when the folder exists and the size of its files is known. */
  readonly ready: Promise<void>
  used: number
  count: number
  commands: Cast | null
  readonly casts: Set<Cast>
}

interface Cast {
  readonly id: string
  readonly file: CastFile
  readonly writer: CastWriter
  isOver: boolean
  /** Whether the recording was truncated. */
  isCut: boolean
}

export const createRecorder = ({ folder, clock, log, limits }: RecorderDeps) => {
  const recordingSets = new Map<string, RecordingSet>()
  const room: WriteRoom = { waiting: 0, most: waitingBytes }
  const most = limits.recordingBytes
  let hasComplained = false

  const complain = (sandbox: string, error: unknown) => {
    if (hasComplained) return
    hasComplained = true
    log.error({ sandbox, reason: messageOf(error) }, 'recordings cannot be written; this is logged once')
  }

  const put = (recordingSet: RecordingSet, cast: Cast, lines: readonly string[]) => {
    for (const line of lines) {
      if (cast.isOver) return
      const bytes = Buffer.byteLength(line)
      if (recordingSet.used + bytes > most) return cut(cast, `the limit of ${most} bytes for this sandbox is reached`)
      if (!cast.file.push(line)) return cut(cast, tooSlow)
      recordingSet.used += bytes
    }
  }
  const cut = (cast: Cast, why: string) => {
    if (cast.isOver) return
    cast.isOver = true
    cast.isCut = true
    for (const line of cast.writer.truncated(why)) cast.file.push(line)
  }

  const makeCast = (
    sandbox: string,
    recordingSet: RecordingSet,
    id: string,
    path: string,
    begun: Pick<RecordingFile, 'startedAt' | 'seconds' | 'bytes'>,
  ): Cast => {
    const origin = timestampOf(begun.startedAt)
    const cast: Cast = {
      id,
      isOver: false,
      isCut: false,
      writer: createCastWriter(() => clock.now().getTime() / 1000 - origin, begun.seconds),
      file: createCastFile({
        path,
        size: begun.bytes,
        room,
        ready: recordingSet.ready,
        failed: (error) => {
          complain(sandbox, error)
          const isFirst = !cast.isCut
          cast.isOver = true
          cast.isCut = true
          if (isFirst) for (const line of cast.writer.truncated('the disk failed')) cast.file.push(line)
        },
      }),
    }
    recordingSet.casts.add(cast)
    return cast
  }

  /** Null when the limit of the sandbox is reached. */
  const openCast = (
    sandbox: string,
    recordingSet: RecordingSet,
    container: string | null,
    size: { columns: number; rows: number },
  ): Cast | null => {
    const startedAt = clock.now()
    const header = castHeader({ ...size, startedAt, title: `${container ?? 'commands'} in ${sandbox}` })
    const bytes = header.length + noticeBytes
    if (recordingSet.used + bytes > most || recordingSet.count >= mostRecordings) return null
    recordingSet.used += bytes
    recordingSet.count += 1
    const id = createId()
    const cast = makeCast(sandbox, recordingSet, id, join(recordingSet.folder, fileNameOf({ id, container })), {
      startedAt,
      seconds: 0,
      bytes: 0,
    })
    cast.file.push(header)
    return cast
  }

  const load = async (sandbox: string, recordingSet: RecordingSet) => {
    await mkdir(recordingSet.folder, { recursive: true, mode: 0o700 })
    const files = await listRecordingFiles(recordingSet.folder)
    recordingSet.used += files.reduce((sum, { bytes }) => sum + bytes + noticeBytes, 0)
    recordingSet.count += files.length
    const commands = files.findLast(({ kind }) => kind === 'exec')
    if (commands === undefined) return
    recordingSet.commands = makeCast(sandbox, recordingSet, commands.id, commands.path, commands)
    recordingSet.commands.isOver = commands.truncated
  }

  const recordingSetOf = (sandbox: string): RecordingSet => {
    const known = recordingSets.get(sandbox)
    if (known !== undefined) return known
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    const recordingSet: RecordingSet = { folder: join(folder, sandbox), ready, used: 0, count: 0, commands: null, casts: new Set() }
    recordingSets.set(sandbox, recordingSet)
    load(sandbox, recordingSet).then(resolve, reject)
    ready.catch((error: unknown) => {
      complain(sandbox, error)
      recordingSets.delete(sandbox)
    })
    return recordingSet
  }

  const recordCommand = async (sandbox: string, container: string, command: string, result: CommandResult) => {
    const recordingSet = recordingSetOf(sandbox)
    await recordingSet.ready
    recordingSet.commands ??= openCast(sandbox, recordingSet, null, commandSize)
    const cast = recordingSet.commands
    if (cast === null) return
    const { writer } = cast
    put(recordingSet, cast, writer.marked(commandLabel(container, command), commandText(container, command, result)))
  }

  return {
    openTerminal: ({ sandbox, container, columns, rows }: TerminalSubject): CastRecording => {
      const recordingSet = recordingSetOf(sandbox)
      let cast: Cast | null = null
      /** Output is buffered until the size of the existing recordings is known. */
      let early: ((cast: Cast) => void)[] | undefined = []
      let earlyBytes = 0
      const begin = (opened: Cast | null) => {
        cast = opened
        for (const work of early ?? []) if (cast !== null) work(cast)
        early = undefined
        if (cast !== null && earlyBytes > mostEarlyBytes) cut(cast, tooSlow)
      }
      recordingSet.ready.then(
        () => begin(openCast(sandbox, recordingSet, container, { columns, rows })),
        () => begin(null),
      )
      const note = (bytes: number, work: (cast: Cast) => void) => {
        if (early === undefined) return cast === null ? undefined : work(cast)
        earlyBytes += bytes
        if (earlyBytes <= mostEarlyBytes) early.push(work)
      }
      return {
        output: (chunk) =>
          note(chunk.length, (open) => {
            if (!open.isOver) put(recordingSet, open, open.writer.output(chunk))
          }),
        resize: (columns, rows) => note(eventBytes, (open) => put(recordingSet, open, [open.writer.resize(columns, rows)])),
        close: () =>
          note(0, (open) => {
            put(recordingSet, open, open.writer.end())
            open.isOver = true
            void open.file.flush()
          }),
      }
    },

    recordCommand: (sandbox: string, container: string, command: string, result: CommandResult): void => {
      const bytes = command.length + result.stdout.length + result.stderr.length
      if (most === 0 || room.waiting + bytes > room.most) return
      room.waiting += bytes
      recordCommand(sandbox, container, command, result)
        .catch((error: unknown) => complain(sandbox, error))
        .finally(() => {
          room.waiting -= bytes
        })
    },

    /** Resolves when everything recorded so far is on disk. */
    flush: async (sandbox: string): Promise<void> => {
      const recordingSet = recordingSets.get(sandbox)
      await recordingSet?.ready.catch(() => undefined)
      await Promise.all([...(recordingSet?.casts ?? [])].map(({ file }) => file.flush()))
    },

    /** Whether a recording was truncated although its file has no notice of it. */
    isCut: (sandbox: string, id: string): boolean =>
      [...(recordingSets.get(sandbox)?.casts ?? [])].some((cast) => cast.id === id && cast.isCut),

    /** The sandbox has ended. */
    forget: (sandbox: string): void => void recordingSets.delete(sandbox),

    sandboxes: (): string[] => [...recordingSets.keys()],

    close: async (): Promise<void> => {
      const casts = [...recordingSets.values()].flatMap((recordingSet) => [...recordingSet.casts])
      await Promise.all(casts.map(({ file }) => file.flush()))
    },
  }
}

export type Recorder = ReturnType<typeof createRecorder>
