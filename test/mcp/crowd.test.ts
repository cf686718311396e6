// Many clients of all kinds run commands in a few sandboxes at once: each gets its own answers from its own sandbox, nothing fails but
// by limits, and the server's memory does not grow.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, connectAgent, type Way, ways } from '../support/mcp.ts'
import { type Lab, smallCatalog, startLab, writeRates } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'

const clients = deep ? 200 : 30
const sandboxes = deep ? 20 : 3
const seconds = deep ? 60 : 8
/** Every tenth client has no credential: these meet the limit of their network, the others none. */
const isAnonymous = (number: number) => number % 10 === 0
const plenty = { read: 100_000, write: 100_000, start: 100_000, exec: 100_000, auth: 100_000 }

let lab: Lab
let sessions: string[]

beforeAll(async () => {
  lab = await startLab({
    ...smallCatalog,
    LAB_RATE_LIMIT_SCALE: '1',
    LAB_RATES_ANONYMOUS: writeRates({ ...plenty, exec: 10 }),
    LAB_RATES_ACCOUNT: writeRates(plenty),
    LAB_ACCOUNT_SANDBOXES: String(sandboxes),
    LAB_CAPACITY: String(sandboxes),
    LAB_NETWORK_MCP_STREAMS: String(clients),
  })
  const starter = await connectAgent(lab.url, ways[0], lab.token)
  sessions = []
  for (let number = 0; number < sandboxes; number += 1) {
    const { session_id } = await starter.call('start_drill')
    await starter.call('exec_in_sandbox', { session_id, command: `echo ${number} > /root/number` })
    sessions.push(session_id)
  }
  await starter.close()
})
afterAll(() => lab?.close())

/** Of the server's process, in MiB. */
const memory = async (): Promise<number> => {
  const { pid } = JSON.parse(await readFile(join(lab.dataDir, 'server.json'), 'utf8'))
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

const isLimited = (error: unknown) => /\b429\b|too many requests/.test(String(error))

it(`${clients} clients in ${sandboxes} sandboxes for ${seconds} s`, { timeout: (seconds + 240) * 1000 }, async () => {
  const agents: Agent[] = []
  for (let number = 0; number < clients; number += 1) {
    agents.push(await connectAgent(lab.url, ways[number % ways.length] as Way, isAnonymous(number) ? undefined : lab.token))
  }
  const wrong: string[] = []
  let [right, limited] = [0, 0]
  const until = performance.now() + seconds * 1000

  const work = async (agent: Agent, number: number) => {
    for (let turn = 0; performance.now() < until; turn += 1) {
      const sandbox = number % sandboxes
      const said = `${number}-${turn}`
      try {
        const args = { session_id: sessions[sandbox], command: `cat /root/number; echo ${said}`, timeout_seconds: 60 }
        const { stdout } = await agent.call('exec_in_sandbox', args)
        if (stdout === `${sandbox}\n${said}\n`) right += 1
        else wrong.push(`${said} in ${sandbox}: ${stdout}`)
      } catch (error) {
        if (!isLimited(error)) wrong.push(String(error))
        limited += 1
        await delay(200)
      }
    }
  }
  const measured: number[] = []
  const measure = async () => {
    while (performance.now() < until) {
      measured.push(await memory())
      await delay(500)
    }
  }
  await Promise.all([measure(), ...agents.map(work)])
  await Promise.all(agents.map(({ close }) => close()))

  expect(wrong.slice(0, 5)).toEqual([])
  expect(right).toBeGreaterThan(clients)
  expect(limited).toBeGreaterThan(0)
  const third = Math.floor(measured.length / 3)
  const [before, after] = [Math.max(...measured.slice(third, 2 * third)), Math.max(...measured.slice(2 * third))]
  expect(after, measured.map(Math.round).join(' ')).toBeLessThan(1.3 * before)
})
