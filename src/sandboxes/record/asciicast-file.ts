// Writes one recording to disk. Complete lines are buffered and written a little later; nothing waits for the disk. If the disk is
// full or too slow, the rest of the recording is lost and nothing else.

import { open } from 'node:fs/promises'

export interface CastFile {
  /** False when it cannot be buffered: the recording ends here. */
  push(line: string): boolean
  /** Resolves when all lines were written, or cannot be. */
  flush(): Promise<void>
}

/** The limit on bytes that all files together may buffer. */
export interface WriteRoom {
  waiting: number
  readonly most: number
}

export interface CastFileOptions {
  readonly path: string
  /** The length of the complete lines that exist already. */
  readonly size: number
  readonly room: WriteRoom
  /** Resolves when its folder exists. */
  readonly ready: Promise<unknown>
  readonly failed: (error: unknown) => void
}

const gatherMs = 500
const manyBytes = 64 * 1024

export const createCastFile = ({ path, size, room, ready, failed }: CastFileOptions): CastFile => {
  let written = size
  let lines: string[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const append = async (content: Buffer) => {
    const file = await open(path, written === 0 ? 'w' : 'r+', 0o600)
    try {
      // Drops an incomplete line that an earlier failure or crash left at the end.
      await file.truncate(written)
      for (let done = 0; done < content.length; ) {
        done += (await file.write(content, done, content.length - done, written + done)).bytesWritten
      }
      written += content.length
    } catch (error) {
      await file.truncate(written).catch(() => undefined)
      throw error
    } finally {
      await file.close()
    }
  }

  const write = async () => {
    await ready
    while (lines.length > 0) {
      const content = Buffer.from(lines.join(''))
      lines = []
      bytes = 0
      try {
        await append(content)
      } finally {
        room.waiting -= content.length
      }
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= write()
      .catch((error: unknown) => {
        room.waiting -= bytes
        lines = []
        bytes = 0
        failed(error)
      })
      .finally(() => {
        writing = undefined
      })
    return writing
  }

  return {
    push: (line) => {
      const length = Buffer.byteLength(line)
      if (room.waiting + length > room.most) return false
      room.waiting += length
      bytes += length
      lines.push(line)
      if (bytes >= manyBytes) void flush()
      else timer ??= setTimeout(flush, gatherMs)
      return true
    },
    flush,
  }
}
