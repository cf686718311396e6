// Lists and reads recordings for their owner, also after the sandbox has ended, and removes them some days later.

import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Account } from '../../accounts/caller.ts'
import type { Clock } from '../../clock.ts'
import type { Recording } from '../../contract/recording.ts'
import { LabError } from '../../errors.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import type { Access } from '../access.ts'
import type { Recorder } from './recorder.ts'
import { fileNameOf, listRecordingFiles } from './recording-files.ts'

export interface RecordingsDeps {
  readonly folder: string
  readonly store: SandboxStore
  readonly access: Access
  readonly recorder: Recorder
  readonly clock: Clock
  readonly limits: { readonly recordingDays: number }
}

export interface RecordingContent {
  readonly fileName: string
  readonly bytes: number
  readonly stream: Readable
}

const purgeEveryMs = 10 * 60_000
const dayMs = 24 * 60 * 60_000

export const createRecordings = ({ folder, store, access, recorder, clock, limits }: RecordingsDeps) => {
  let purgedAt = Number.NEGATIVE_INFINITY

  const filesOf = async (row: SandboxRow) => {
    await recorder.flush(row.id)
    return listRecordingFiles(join(folder, row.id))
  }

  const listOf = async (row: SandboxRow): Promise<Recording[]> =>
    (await filesOf(row)).map(({ id, kind, container, startedAt, seconds, bytes, truncated }) => ({
      recording_id: id,
      kind,
      container,
      started_at: startedAt.toISOString(),
      duration_seconds: seconds,
      bytes,
      truncated: truncated || recorder.isCut(row.id, id),
    }))

  const readOf = async (row: SandboxRow, recordingId: string): Promise<RecordingContent> => {
    const file = (await filesOf(row)).find(({ id }) => id === recordingId)
    if (file === undefined) throw new LabError('not_found', 'there is no such recording')
    const stream = createReadStream(file.path, { end: file.bytes - 1 })
    return { fileName: `${row.course_id}-${fileNameOf(file)}`, bytes: file.bytes, stream }
  }

  /**
   * When recordings may go, or null. For a sandbox that is not in the store, the age of its files counts. One that is neither an account's
   * nor a network's was that of a deleted account: at its deletion another server may have had them, or a command was still writing.
   */
  const keptUntil = async (sandbox: string): Promise<number | null> => {
    const row = await store.find(sandbox)
    if (row === null) return (await stat(join(folder, sandbox))).mtimeMs + limits.recordingDays * dayMs
    if (row.ended_at === null) return null
    const isNobodys = row.account_id === null && row.address === null
    return Date.parse(row.ended_at) + (isNobodys ? 0 : limits.recordingDays * dayMs)
  }

  return {
    /** Those of a sandbox whose reader was checked before. */
    listOf,

    /** One of them. Complete lines only, also of a recording in progress. Throws not_found. */
    readOf,

    list: async (caller: Account, sandbox: string): Promise<Recording[]> => listOf(await access.ownedById(caller, sandbox)),

    read: async (caller: Account, sandbox: string, recordingId: string): Promise<RecordingContent> =>
      readOf(await access.ownedById(caller, sandbox), recordingId),

    /** Removes all recordings of a sandbox. */
    erase: async (sandbox: string): Promise<void> => {
      recorder.forget(sandbox)
      await rm(join(folder, sandbox), { recursive: true, force: true })
    },

    /** Removes expired recordings and forgets ended sandboxes. Does so only now and then. */
    purge: async (): Promise<void> => {
      const now = clock.now().getTime()
      if (now - purgedAt < purgeEveryMs) return
      purgedAt = now
      for (const sandbox of recorder.sandboxes()) if ((await store.find(sandbox))?.ended_at !== null) recorder.forget(sandbox)
      const sandboxes = await readdir(folder).catch(() => [])
      for (const sandbox of sandboxes) {
        const until = await keptUntil(sandbox)
        if (until !== null && until <= now) await rm(join(folder, sandbox), { recursive: true, force: true })
      }
    },
  }
}

export type Recordings = ReturnType<typeof createRecordings>
