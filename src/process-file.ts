// A pid file that also holds the start time of the process, because pids are reused: it is trusted only while that process lives.

import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { parseCheckedJson } from './checked-json.ts'
import { LabError } from './errors.ts'
import { createId } from './ids.ts'
import { poll } from './polling.ts'

const ProcessRecord = z
  .looseObject({
    pid: z.int().positive(),
    /** The kernel's start time of the process, in ticks since boot. */
    started: z.string(),
  })
  .readonly()
export type ProcessRecord = z.infer<typeof ProcessRecord>

/** Null when it does not run. `proc` is another one than ours for a process of another pid namespace. */
export const startTicks = (pid: number, proc = '/proc'): string | null => {
  try {
    const stat = readFileSync(`${proc}/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

export const recordOf = (pid: number, details: Record<string, unknown> = {}): ProcessRecord => ({
  ...details,
  pid,
  started: startTicks(pid) ?? '',
})

export const isAlive = (record: ProcessRecord): boolean => record.started !== '' && startTicks(record.pid) === record.started

/** The record of a living process, or null. */
export const readProcess = async (file: string): Promise<ProcessRecord | null> => {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const record = parseCheckedJson(ProcessRecord, text)
    return isAlive(record) ? record : null
  } catch {
    return null
  }
}

/** Writes a temporary file that is then renamed or linked, so that no reader sees a partial file. */
const draft = async (file: string, record: ProcessRecord): Promise<string> => {
  const path = `${file}.${createId()}`
  await writeFile(path, JSON.stringify(record), { mode: 0o600 })
  return path
}

export const writeProcess = async (file: string, record: ProcessRecord): Promise<void> => rename(await draft(file, record), file)

/** Claims the file for this process; throws while another running process has it. */
export const claim = async (file: string, what: string): Promise<void> => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const own = await draft(file, recordOf(process.pid))
    try {
      return await link(own, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = await readProcess(file)
      if (holder !== null)
        throw new LabError('invalid_request', `${what} is in use by process ${holder.pid}`, { hint: 'stop it with ./lab down' })
      await rm(file, { force: true })
    } finally {
      await rm(own, { force: true })
    }
  }
  throw new LabError('invalid_request', `${what} is being claimed by another process`)
}

/** Sends SIGTERM and waits; then SIGKILL. */
export const endProcess = async (record: ProcessRecord, patienceMs: number): Promise<void> => {
  const gone = (withinMs: number) => poll(() => !isAlive(record), Boolean, { pauseMs: 50, withinMs })
  if (!isAlive(record)) return
  process.kill(record.pid, 'SIGTERM')
  if (await gone(patienceMs)) return
  process.kill(record.pid, 'SIGKILL')
  await gone(5_000)
}
