// Remembers that an engine of our own has passed the isolation check, so that a server that comes back after a crash serves at once.
// Nobody else changes such an engine: as long as its processes, our program and the settings are the same, so is the result.

import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { z } from 'zod'
import { parseCheckedJson } from '../../../checked-json.ts'
import type { Clock } from '../../../clock.ts'
import { filesBelow } from '../../../files-below.ts'
import { createId } from '../../../ids.ts'
import type { PassedCheck } from '../../require-isolation.ts'

const validMs = 60 * 60_000

/** A few servers with settings of their own may share an engine; none of them makes the others check again. */
const mostRecords = 8

const Records = z.strictObject({ passed: z.array(z.strictObject({ subject: z.string(), passed_at: z.iso.datetime() })) })
type PassedRecord = z.infer<typeof Records>['passed'][number]

export interface PassedCheckDeps {
  /** In the folder of the engine, which only root can write to. */
  readonly file: string
  /** The processes of the engine; null while it does not run. */
  readonly engineProcesses: () => Promise<string | null>
  /** Folders of everything that builds and attacks sandboxes. */
  readonly program: readonly string[]
  /** What else a result depends on. */
  readonly settings: readonly (string | undefined)[]
  readonly clock: Clock
}

const hashFiles = async (folders: readonly string[]): Promise<string> => {
  const hash = createHash('sha256')
  for (const folder of folders) {
    for (const file of await filesBelow(folder)) {
      const content = await readFile(file)
      hash.update(`${relative(folder, file)}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

export const createPassedCheck = ({ file, engineProcesses, program, settings, clock }: PassedCheckDeps): PassedCheck => {
  /** What has passed a short while ago. */
  const read = async (): Promise<PassedRecord[]> => {
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text === null) return []
    try {
      const now = clock.now().getTime()
      return parseCheckedJson(Records, text).passed.filter(({ passed_at }) => {
        const age = now - Date.parse(passed_at)
        return age >= 0 && age < validMs
      })
    } catch {
      return []
    }
  }

  return {
    subject: async () => {
      const processes = await engineProcesses()
      if (processes === null) return null
      return createHash('sha256')
        .update(JSON.stringify([processes, await hashFiles(program), ...settings]))
        .digest('hex')
    },

    passedAt: async (subject) => (await read()).find((passed) => passed.subject === subject)?.passed_at ?? null,

    /** When two servers write at once, one of their records may be lost, and its check is run again. */
    remember: async (subject) => {
      const others = (await read()).filter((passed) => passed.subject !== subject)
      const passed = [{ subject, passed_at: clock.now().toISOString() }, ...others].slice(0, mostRecords)
      const draft = `${file}.${createId()}`
      await writeFile(draft, JSON.stringify({ passed }), { mode: 0o600 })
      await rename(draft, file)
    },
  }
}
