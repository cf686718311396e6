// Starts a server for a benchmark: `./lab up` as a separate process, with an empty data directory and a token.

import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const lab = join(import.meta.dirname, '../../lab')

/** `stderr` is where its log goes. */
export const startBenchServer = async (settings: Record<string, string>, stderr: 'inherit' | 'ignore' = 'inherit') => {
  const dataDir = await mkdtemp(join(tmpdir(), 'incident-lab-bench-'))
  const metricsToken = 'read-the-memory-of-the-server'
  const env = { ...process.env, LAB_METRICS_TOKEN: metricsToken, LAB_RATE_LIMIT_SCALE: '0', LAB_LOG_LEVEL: 'error', ...settings }
  const child = spawn(lab, ['up', '--port', '0', '--data', dataDir], { env, stdio: ['ignore', 'pipe', stderr] })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const { url, pid } = JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')) as { url: string; pid: number }
  const run = promisify(execFile)
  const token = (await run(lab, ['token', 'create', '--name', 'bench', '--data', dataDir], { env })).stdout.trim()

  const call = async <T = Record<string, string>>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }

  return {
    url,
    pid,
    dataDir,
    token,
    call,
    start: async (extra: object = {}) => call('POST', '/sandbox/start', { course_id: 'scenario-01', ...extra }),
    exec: (session_id: string, command = 'true') => call<{ stdout: string }>('POST', '/sandbox/exec', { session_id, command }),
    stop: (session_id: string) => call('POST', '/sandbox/stop', { session_id }),
    /** The code of a link by which the operator signs in, once. */
    signInCode: async () => /#(\S+)/.exec((await run(lab, ['signin', '--data', dataDir], { env })).stdout)?.[1],
    /** Of the server's process, in MB. */
    memory: async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
      return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 2 ** 20
    },
    close: async () => {
      await run(lab, ['down', '--data', dataDir], { env })
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type BenchServer = Awaited<ReturnType<typeof startBenchServer>>
