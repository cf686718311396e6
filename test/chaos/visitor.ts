// A client that starts, uses and stops a sandbox while the service fails: it retries after lost connections as a client should. It
// fails the test if it waits in vain or gets a sandbox of another visitor.

import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Answer, MortalLab } from '../support/server.ts'

/** Longer than any response may take. */
const hangMs = 90_000
/** Longer than the service may be unavailable at a time. */
const patienceMs = 60_000
const arrivalMs = 180_000
const pauseMs = 200

export interface Session {
  readonly id: string
  readonly session_id: string
}

/** Which visitor got which session. */
export type Ledger = Map<string, string>

export interface VisitorOptions {
  readonly lab: MortalLab
  readonly name: string
  readonly token: string
  readonly random: Random
  readonly ledger: Ledger
}

/** Temporary errors: the first request is still in progress, or the sandbox is about to be repaired. */
const passing = new Set(['idempotency_in_progress', 'container_not_running'])

type Outcome = Answer | 'cut'

const isCut = (error: unknown) => error instanceof TypeError && /fetch failed|terminated/.test(error.message)

export const createVisitor = ({ lab, name, token, random, ledger }: VisitorOptions) => {
  const troubles: string[] = []
  const jobs: string[] = []

  const send = async (method: string, path: string, body?: unknown, key?: string): Promise<Outcome> => {
    const late = new AbortController()
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    const answer = lab.call(method, path, body, headers, token).catch((error: unknown) => {
      if (isCut(error)) return 'cut' as const
      throw error
    })
    const hang = delay(hangMs, undefined, { signal: late.signal }).then(
      () => Promise.reject(new Error(`${name}: ${method} ${path} hangs`)),
      () => 'cut' as const,
    )
    const outcome = await Promise.race([answer, hang]).finally(() => late.abort())
    if (outcome === 'cut') troubles.push('cut')
    else if (outcome.status >= 500) troubles.push(`${path} ${outcome.status} ${outcome.body.error.code} ${outcome.body.error.message}`)
    return outcome
  }

  /** Retries after lost connections and temporary errors; any other unexpected response fails. */
  const insist = async (method: string, path: string, body?: unknown, key?: string, wanted: readonly number[] = [200]): Promise<Answer> => {
    for (const until = performance.now() + patienceMs; ; ) {
      const outcome = await send(method, path, body, key)
      if (outcome !== 'cut' && wanted.includes(outcome.status)) return outcome
      const excused = outcome === 'cut' || outcome.status >= 500 || passing.has(outcome.body.error.code)
      const said = outcome === 'cut' ? 'is cut' : `${outcome.status} ${JSON.stringify(outcome.body)}`
      if (!excused || performance.now() > until) throw new Error(`${name}: ${method} ${path} ${said}`)
      await delay(pauseMs)
    }
  }

  const exec = async (session: Session, command: string, container?: string): Promise<string> =>
    (await insist('POST', '/sandbox/exec', { session_id: session.session_id, command, container })).body.stdout

  const mine = async (): Promise<(Session & { status: string })[]> => (await insist('GET', '/sandbox')).body.items

  const given = (session: Session): Session => {
    const other = ledger.get(session.session_id)
    if (other !== undefined && other !== name) throw new Error(`${name} was given the sandbox of ${other}`)
    ledger.set(session.session_id, name)
    return session
  }

  /** Null when it had no effect. */
  const outcomeOf = async (jobId: string): Promise<Session | null> => {
    jobs.push(jobId)
    for (;;) {
      const job = (await insist('GET', `/jobs/${jobId}`)).body
      if (job.status === 'succeeded') return job.session
      if (!['queued', 'in_progress'].includes(job.status)) return null
      await delay(pauseMs)
    }
  }

  /** Without an idempotency key, the outcome of a start with a lost response has to be looked up. */
  const startOnce = async (runAsJob: boolean, key: string | undefined): Promise<Session | 'refused' | null> => {
    const body = { course_id: 'scenario-01', ...(runAsJob ? { async: true } : {}) }
    const outcome =
      key === undefined ? await send('POST', '/sandbox/start', body) : await insist('POST', '/sandbox/start', body, key, [200, 202, 429])
    if (outcome === 'cut') return (await mine()).find(({ status }) => status === 'running') ?? null
    if (outcome.status === 200) return outcome.body
    if (outcome.status === 202) return outcomeOf(outcome.body.job_id)
    return outcome.status === 429 ? 'refused' : null
  }

  /** A session, or null when the capacity was exhausted. */
  const arrive = async (): Promise<Session | null> => {
    const runAsJob = random.next() < 0.4
    const keyed = runAsJob || random.next() < 0.5
    for (const until = performance.now() + arrivalMs; performance.now() < until; await delay(pauseMs)) {
      const key = keyed ? random.uuid() : undefined
      const started = await startOnce(runAsJob, key)
      if (started === 'refused') return null
      if (started === null) continue
      given(started)
      if (key !== undefined && !runAsJob) {
        const again = await insist('POST', '/sandbox/start', { course_id: 'scenario-01' }, key, [200, 202])
        const same = again.status === 202 || again.body.session_id === started.session_id
        if (!same) throw new Error(`${name}: the same key gave another sandbox`)
      }
      return started
    }
    throw new Error(`${name} never got a sandbox: ${troubles.join('; ')}`)
  }

  const leave = async (session: Session): Promise<void> => {
    const { body } = await insist('POST', '/sandbox/stop', { session_id: session.session_id })
    if (body.termination_reason !== 'stopped') throw new Error(`${name}: the sandbox ended as ${body.termination_reason}`)
  }

  const evaluate = async (session: Session): Promise<number> => {
    const { body } = await insist('POST', '/sandbox/eval', { session_id: session.session_id })
    return body.score
  }

  /** Writes a file and reads it again later: it is the same sandbox, and no other visitor writes there. */
  const use = async (session: Session): Promise<void> => {
    await exec(session, `echo ${name} >> /tmp/mark`)
    if (random.next() < 0.4) await evaluate(session)
    const marks = (await exec(session, 'sort -u /tmp/mark')).trim()
    if (marks !== name) throw new Error(`${name} found the mark of ${marks}`)
  }

  return {
    troubles,
    jobs,
    arrive,
    exec,
    evaluate,
    leave,
    send,
    mine,

    /** The whole visit. True when it had a sandbox. */
    visit: async (): Promise<boolean> => {
      await delay(random.below(1_500))
      const session = await arrive()
      if (session === null) return false
      await use(session)
      await leave(session)
      return true
    },
  }
}

export type Visitor = ReturnType<typeof createVisitor>
