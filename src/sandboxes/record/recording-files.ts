// Recordings on disk: <folder>/<sandbox>/<id>.terminal.<container>.cast and <id>.exec.cast. There is no table of them: everything
// is read from the name, the first line and the last line of a file.

import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { longestLine, readCastEnd, readCastStart } from './asciicast.ts'

export type RecordingKind = 'terminal' | 'exec'

export interface RecordingName {
  readonly id: string
  readonly kind: RecordingKind
  /** Null for commands: those of all containers are in one recording. */
  readonly container: string | null
}

export interface RecordingFile extends RecordingName {
  readonly path: string
  readonly startedAt: Date
  readonly seconds: number
  /** The length of the complete lines. */
  readonly bytes: number
  readonly truncated: boolean
}

const pattern = /^([0-9a-z]{16})\.(?:terminal\.([a-z0-9-]{1,64})|exec)\.cast$/

export const fileNameOf = ({ id, container }: Omit<RecordingName, 'kind'>): string =>
  container === null ? `${id}.exec.cast` : `${id}.terminal.${container}.cast`

const parseName = (name: string): RecordingName | null => {
  const [, id, container = null] = pattern.exec(name) ?? []
  return id === undefined ? null : { id, kind: container === null ? 'exec' : 'terminal', container }
}

const isMissing = (error: unknown) => (error as { code?: unknown } | null)?.code === 'ENOENT'

const readAt = async (file: FileHandle, from: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

const newline = 10

/** Null for a file that has no header yet. */
const describe = async (path: string, name: RecordingName): Promise<RecordingFile | null> => {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const head = await readAt(file, 0, Math.min(size, longestLine))
    const startedAt = readCastStart(head.subarray(0, Math.max(0, head.indexOf(newline))).toString())
    if (startedAt === null) return null
    // The last complete line may be followed by an incomplete one, so two lines have to fit.
    const from = Math.max(0, size - 2 * longestLine)
    const tail = await readAt(file, from, size - from)
    const whole = tail.subarray(0, tail.lastIndexOf(newline) + 1)
    const last = whole.subarray(0, -1)
    const end = readCastEnd(last.subarray(last.lastIndexOf(newline) + 1).toString())
    return { ...name, path, startedAt, seconds: end?.seconds ?? 0, truncated: end?.truncated ?? false, bytes: from + whole.length }
  } finally {
    await file.close()
  }
}

/** The recordings of a sandbox, oldest first. */
export const listRecordingFiles = async (folder: string): Promise<RecordingFile[]> => {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const found: RecordingFile[] = []
  for (const name of names) {
    const parsed = parseName(name)
    const file =
      parsed === null
        ? null
        : await describe(join(folder, name), parsed).catch((error: unknown) => {
            if (isMissing(error)) return null
            throw error
          })
    if (file !== null) found.push(file)
  }
  return found.sort((one, other) => one.startedAt.getTime() - other.startedAt.getTime() || (one.id < other.id ? -1 : 1))
}
