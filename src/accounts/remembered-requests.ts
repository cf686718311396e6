// Writes under an idempotency key: the first one is carried out, the others get its answer. Survives a crash of the
// server: what was under way then is handed to the caller of this module to find out what became of it.

import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { Limits } from '../limits.ts'
import type { RequestRow, RequestStore } from '../store/remembered-requests.ts'
import type { KeptAnswer } from './kept-answer.ts'

export interface RememberedRequestsDeps {
  readonly store: RequestStore
  readonly clock: Clock
  readonly node: string
  readonly bootId: string
  readonly limits: Pick<Limits, 'idempotencyHours' | 'keptAccountBytes'>
}

/** What names a request: the same one sent again has all of it in common. */
export interface RequestIdentity {
  readonly accountId: string
  readonly method: string
  readonly path: string
  readonly key: string
}

export type Remembered =
  | { readonly state: 'new'; readonly id: string }
  /** Nobody is at work on it, and nobody knows how it ended. */
  | { readonly state: 'interrupted'; readonly id: string }
  /** Without its answer when that was not kept. */
  | { readonly state: 'answered'; readonly id: string; readonly status: number; readonly answer: KeptAnswer | null }

const retryAfterSeconds = 1

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The same text for the same JSON, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`
}

export const createRememberedRequests = ({ store, clock, node, bootId, limits }: RememberedRequestsDeps) => {
  const oldest = () => new Date(clock.now().getTime() - limits.idempotencyHours * 3_600_000).toISOString()

  /** What this server is at work on. */
  const underWay = new Set<string>()

  /** Its server is gone, or could not write down how it ended. Nobody else can take it over at the same time. */
  const takeOver = async (known: RequestRow): Promise<boolean> => {
    if (known.node !== node || underWay.has(known.id)) return false
    underWay.add(known.id)
    const mine = await store.adopt(known.id, known.boot_id, bootId).catch(() => false)
    if (!mine) underWay.delete(known.id)
    return mine
  }

  /** Whatever becomes of the row, this server is done with it. */
  const ending = async (id: string, work: Promise<void>): Promise<void> => {
    await work.finally(() => underWay.delete(id))
  }

  const meet = async (known: RequestRow, bodyHash: string): Promise<Remembered> => {
    if (known.body_hash !== bodyHash) {
      throw new LabError('idempotency_key_reused', 'this Idempotency-Key was used with another body', { hint: 'use a new key' })
    }
    if (known.status !== null) {
      const answer = known.body === null ? null : { body: known.body, sandboxes: JSON.parse(known.sandboxes) as string[] }
      return { state: 'answered', id: known.id, status: known.status, answer }
    }
    if (await takeOver(known)) return { state: 'interrupted', id: known.id }
    throw new LabError('idempotency_in_progress', 'the first request with this Idempotency-Key is still in progress', {
      hint: 'send it again shortly to get its response',
      retryAfterSeconds,
    })
  }

  return {
    /** Throws idempotency_key_reused and idempotency_in_progress. */
    begin: async ({ accountId, method, path, key }: RequestIdentity, body: unknown): Promise<Remembered> => {
      const row: RequestRow = {
        id: createId(),
        account_id: accountId,
        scope: sha256(JSON.stringify([accountId, method, path, key])),
        body_hash: sha256(canonicalJson(body)),
        node,
        boot_id: bootId,
        status: null,
        body: null,
        body_bytes: 0,
        sandboxes: '[]',
        created_at: clock.now().toISOString(),
      }
      let mine = false
      underWay.add(row.id) // before anybody else can see it
      try {
        for (;;) {
          const known = await store.reserve(row)
          mine = known === null
          if (known === null) return { state: 'new', id: row.id }
          if (known.created_at >= oldest()) return await meet(known, row.body_hash)
          await store.release(known.id)
        }
      } finally {
        if (!mine) underWay.delete(row.id)
      }
    },

    /** Without an answer, or when the account has no room for it, only the fact is remembered. */
    finish: (id: string, status: number, answer: KeptAnswer | null) => {
      const { body = null, sandboxes = [] } = answer ?? {}
      return ending(id, store.finish(id, { status, body, bytes: Buffer.byteLength(body ?? ''), sandboxes }, limits.keptAccountBytes))
    },

    /** Forgets a request, so that the next one with its key is carried out. */
    release: (id: string) => ending(id, store.release(id)),

    purge: () => store.purge(oldest()),
  }
}

export type RememberedRequests = ReturnType<typeof createRememberedRequests>
