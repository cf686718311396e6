// Atomic batches: sandboxes started in a batch are kept only if the whole batch succeeded, even across a crash.

import { StoredResponse } from '../../accounts/stored-response.ts'
import { parseCheckedJson } from '../../checked-json.ts'
import type { Clock } from '../../clock.ts'
import type { Limits } from '../../configured-limits.ts'
import { createId } from '../../ids.ts'
import type { Log } from '../../log.ts'
import type { BatchStore } from '../../store/batches.ts'
import type { Starts } from './starts.ts'

export interface BatchesDeps {
  readonly batchStore: BatchStore
  readonly starts: Starts
  readonly clock: Clock
  readonly log: Log
  readonly limits: Pick<Limits, 'idempotencyHours'>
  readonly node: string
  readonly bootId: string
}

export const createBatches = ({ batchStore, starts, clock, log, limits, node, bootId }: BatchesDeps) => {
  const undo = async (id: string): Promise<void> => {
    await starts.undo(id)
    await batchStore.remove(id)
  }

  return {
    /** Starts that carry the returned id belong to the batch. */
    open: async (requestId: string | undefined): Promise<string> => {
      const id = createId()
      const created_at = clock.now().toISOString()
      await batchStore.open({ id, request_id: requestId ?? null, node, boot_id: bootId, body: null, created_at })
      return id
    },

    /** Commits the batch. The response is stored here until it is stored with its request; null without an idempotency key. */
    commit: (id: string, answer: StoredResponse | null): Promise<void> =>
      batchStore.commit(id, answer === null ? '' : JSON.stringify(answer)),

    /** Removes everything that was started in the batch. */
    undo,

    /** The stored response of the batch under this request; null when the batch was not committed. */
    recover: async (requestId: string): Promise<{ readonly answer: StoredResponse | null } | null> => {
      const row = await batchStore.findByRequest(requestId)
      if (row?.body == null) return null
      return { answer: row.body === '' ? null : parseCheckedJson(StoredResponse, row.body) }
    },

    /** Deletes responses whose idempotency key has expired. */
    purge: (): Promise<void> => batchStore.purge(new Date(clock.now().getTime() - limits.idempotencyHours * 3_600_000).toISOString()),

    /** Rolls back batches that an earlier process of this server left open. */
    sweep: async (): Promise<void> => {
      for (const { id } of await batchStore.listAbandoned(node, bootId)) {
        log.info({ batch: id }, 'rolling back an interrupted batch')
        await undo(id)
      }
    },
  }
}

export type Batches = ReturnType<typeof createBatches>
