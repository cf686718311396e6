// Benchmark: what the check of a token or of a browser session adds to a request, and whether a guess that is almost right takes as
// long as a wild one. The same request is sent in turn with each credential, on connections of their own.
// Usage: ./lab bench credentials [rounds]

import { execFile } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createToken, tokenOf } from '../src/accounts/token-format.ts'
import { median } from './lib/figures.ts'
import { report } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const rounds = Number(process.argv[2] ?? 3_000)
const warmUp = 300
const mostAddedMs = 0.2
/** A read from memory, so that the check is what differs. */
const path = '/api/v1/courses/scenario-01'
/** A header that nobody knows leads every request through the router, as a credential does. */
const plain = { 'x-bench': '1' }

const server = await startBenchServer({ LAB_POOL: 'off', LAB_LOG_LEVEL: 'info' }, 'ignore')
const { port } = new URL(server.url)

const createCaller = (headers: Record<string, string>, status: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    /** In milliseconds. */
    call: () =>
      new Promise<number>((resolve, reject) => {
        const started = performance.now()
        const sent = request(
          { host: '127.0.0.1', port, path, agent, headers: { host: `localhost:${port}`, ...plain, ...headers } },
          (response) => {
            response.resume().once('end', () => {
              if (response.statusCode === status) resolve(performance.now() - started)
              else reject(new Error(`${path} answered ${response.statusCode}`))
            })
          },
        )
        sent.once('error', reject).end()
      }),
    close: () => agent.destroy(),
  }
}

/** The cookie of a session of the operator. */
const signIn = async (): Promise<string> => {
  const { stdout } = await promisify(execFile)(join(import.meta.dirname, '../lab'), ['signin', '--data', server.dataDir])
  const answer = await fetch(`${server.url}/api/v1/auth/local`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: /#(\S+)/.exec(stdout)?.[1] }),
  })
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

try {
  const secret = server.token.slice('ilab_pat_'.length, -6)
  const nearMiss = tokenOf(secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0'))
  const callers = {
    none: createCaller({}, 200),
    token: createCaller({ authorization: `Bearer ${server.token}` }, 200),
    session: createCaller({ cookie: await signIn() }, 200),
    nearMiss: createCaller({ authorization: `Bearer ${nearMiss}` }, 401),
    wildGuess: createCaller({ authorization: `Bearer ${createToken()}` }, 401),
  }
  const times = Object.fromEntries(Object.keys(callers).map((name) => [name, []])) as unknown as Record<keyof typeof callers, number[]>
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, { call }] of Object.entries(callers)) {
      const took = await call()
      if (round >= 0) times[name as keyof typeof callers].push(took)
    }
  }
  for (const { close } of Object.values(callers)) close()
  const p50 = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)])) as Record<
    keyof typeof callers,
    number
  >
  const ms = (value: number) => `${value.toFixed(3)} ms`
  const added = (what: string, with_: number) => ({
    what,
    ours: ms(with_),
    baseline: `${ms(p50.none)} without a credential`,
    ratio: `${(with_ / p50.none).toFixed(2)}x, ${ms(with_ - p50.none)} more`,
    target: `< ${mostAddedMs} ms more`,
    met: with_ - p50.none < mostAddedMs,
  })
  await report(
    'credentials',
    [
      added('a request with a token, p50', p50.token),
      added('a request in a browser session, p50', p50.session),
      {
        what: 'a token that is wrong in its last character, p50',
        ours: ms(p50.nearMiss),
        baseline: `${ms(p50.wildGuess)} wrong in all`,
        ratio: `${(p50.nearMiss / p50.wildGuess).toFixed(2)}x`,
        target: '0.9x to 1.1x',
        met: Math.abs(p50.nearMiss / p50.wildGuess - 1) <= 0.1,
      },
    ],
    times,
  )
} finally {
  await server.close()
}
