// Requests with an idempotency key: the first is executed, later ones get its response. After a crash of the server, a request that
// was in progress is reported as interrupted, and the caller of this module finds out whether it took effect.

import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { RequestRow, RequestStore } from '../store/idempotent-requests.ts'
import { readNames } from '../store/json-columns.ts'
import type { Account, LabHolder } from './caller.ts'
import type { StoredResponse } from './stored-response.ts'

export interface IdempotentRequestsDeps {
  readonly store: RequestStore
  readonly clock: Clock
  readonly node: string
  readonly bootId: string
  readonly limits: Pick<Limits, 'idempotencyHours' | 'keptAccountBytes'>
}

/** Identifies a request: a retry has the same values. */
export interface RequestIdentity {
  /** An account, or one of those who have a token of a lab. */
  readonly writer: Account | LabHolder
  readonly method: string
  readonly path: string
  readonly key: string
}

export type BegunRequest =
  | { readonly state: 'new'; readonly id: string }
  /** Its server stopped while it was in progress; its outcome is unknown. */
  | { readonly state: 'interrupted'; readonly id: string }
  /** Without the response if that was too large to be stored. */
  | { readonly state: 'answered'; readonly id: string; readonly status: number; readonly answer: StoredResponse | null }

const retryAfterSeconds = 1

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Equal text for equal JSON, whatever the order of keys. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`
}

/** For whom a key means something, and whose storage holds the response. */
const ownerOf = (writer: Account | LabHolder) =>
  writer.kind === 'account'
    ? { name: writer.accountId, columns: { account_id: writer.accountId, sandbox_id: null } }
    : { name: `lab ${writer.sandboxId} ${writer.accessId}`, columns: { account_id: null, sandbox_id: writer.sandboxId } }

export const createIdempotentRequests = ({ store, clock, node, bootId, limits }: IdempotentRequestsDeps) => {
  const oldest = () => new Date(clock.now().getTime() - limits.idempotencyHours * 3_600_000).toISOString()

  /** Requests that this server is executing. */
  const underWay = new Set<string>()

  /** Takes over a request whose server has stopped or could not store the outcome. Only one server succeeds. */
  const takeOver = async (known: RequestRow): Promise<boolean> => {
    if (known.node !== node || underWay.has(known.id)) return false
    underWay.add(known.id)
    const mine = await store.adopt(known.id, known.boot_id, bootId).catch(() => false)
    if (!mine) underWay.delete(known.id)
    return mine
  }

  /** The request is no longer in progress here, even if the row cannot be written. */
  const ending = async (id: string, work: Promise<void>): Promise<void> => {
    await work.finally(() => underWay.delete(id))
  }

  const meet = async (known: RequestRow, bodyHash: string): Promise<BegunRequest> => {
    if (known.body_hash !== bodyHash) {
      throw new LabError('idempotency_key_reused', 'this Idempotency-Key was used with another body', { hint: 'use a new key' })
    }
    if (known.status !== null) {
      const answer = known.body === null ? null : { body: known.body, sandboxes: readNames(known.sandboxes) }
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
    begin: async ({ writer, method, path, key }: RequestIdentity, body: unknown): Promise<BegunRequest> => {
      const { name, columns } = ownerOf(writer)
      const row: RequestRow = {
        id: createId(),
        ...columns,
        scope: sha256(JSON.stringify([name, method, path, key])),
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
      underWay.add(row.id) // before another request can see the row
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

    /** Without a response, or when the storage of the account or the lab is full, only the status is stored. */
    finish: (id: string, status: number, answer: StoredResponse | null) => {
      const { body = null, sandboxes = [] } = answer ?? {}
      return ending(id, store.finish(id, { status, body, bytes: Buffer.byteLength(body ?? ''), sandboxes }, limits.keptAccountBytes))
    },

    /** Deletes a request, so that the next one with its key is executed. */
    release: (id: string) => ending(id, store.release(id)),

    purge: () => store.purge(oldest()),
  }
}

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>
