// Many clients with mixed reads: only successes and 429, and exactly as many successes as the rate limit allows.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSender } from '../support/http.ts'
import { checkerOf } from '../support/openapi.ts'
import { type Lab, startLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'

const clients = 200
const seconds = deep ? 60 : 4
const perMinute = 1_200
const paths = [
  '/courses',
  '/courses/scenario-01',
  '/glossary?limit=3',
  '/labs/capacity',
  '/settings/public',
  '/credits/packs',
  '/health',
  '/jobs/x',
  '/courses/none',
]

let lab: Lab

beforeAll(async () => {
  const rates = `read=${perMinute},write=1,start=1,exec=1,auth=1`
  lab = await startLab({ LAB_RATE_LIMIT_SCALE: '1', LAB_RATES_ANONYMOUS: rates, LAB_TRUSTED_PROXIES: '127.0.0.1', LAB_LOG_LEVEL: 'error' })
})
afterAll(() => lab?.close())

it(`${clients} clients for ${seconds} s`, { timeout: (seconds + 60) * 1000 }, async () => {
  const check = await checkerOf(lab.url)
  const sender = createSender(lab.url, clients)
  const statuses = new Map<number, number>()
  const wrong: string[] = []
  let admitted = 0
  let [firstAnswer, lastSent] = [Number.POSITIVE_INFINITY, 0]
  const began = performance.now()
  const until = began + seconds * 1000

  /** All of them are one caller: the same address. */
  const client = async (number: number) => {
    for (let turn = number; performance.now() < until; turn += 1) {
      const path = `/api/v1${paths[turn % paths.length]}`
      lastSent = Math.max(lastSent, performance.now())
      const { status, headers, text } = await sender.send({ method: 'GET', path, headers: { 'x-forwarded-for': '192.0.2.77' } })
      firstAnswer = Math.min(firstAnswer, performance.now())
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status !== 429) admitted += 1
      const complaint = check('GET', path, status, JSON.parse(text))
      const left = Number(headers['ratelimit-remaining'])
      const honest =
        headers['ratelimit-limit'] === String(perMinute) &&
        left >= 0 &&
        (status !== 429 || (left === 0 && Number(headers['retry-after']) >= 1))
      if (complaint !== null || !honest) wrong.push(`${path} ${status}: ${complaint ?? JSON.stringify(headers)}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  const ended = performance.now()
  sender.close()

  expect(wrong.slice(0, 3)).toEqual([])
  expect([...statuses.keys()].filter((status) => ![200, 401, 404, 429].includes(status))).toEqual([])
  // The clock of the limit ran at least from the first answer to the last request, and at most from the beginning to the end.
  const flowedIn = (milliseconds: number) => Math.floor((milliseconds * perMinute) / 60_000)
  expect(statuses.get(429) ?? 0).toBeGreaterThan(0)
  expect(admitted).toBeLessThanOrEqual(perMinute + flowedIn(ended - began) + 1)
  expect(admitted).toBeGreaterThanOrEqual(perMinute + flowedIn(lastSent - firstAnswer) - 1)
})
