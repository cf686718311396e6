// Atomic batches: whatever is started for one stays only if the whole of it succeeded, also across a crash.

import type { KeptAnswer } from '../../accounts/kept-answer.ts'
import type { Clock } from '../../clock.ts'
import { createId } from '../../ids.ts'
import type { Limits } from '../../limits.ts'
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
    /** What is started under the returned id belongs to the batch. */
    open: async (requestId: string | undefined): Promise<string> => {
      const id = createId()
      const created_at = clock.now().toISOString()
      await batchStore.open({ id, request_id: requestId ?? null, node, boot_id: bootId, body: null, created_at })
      return id
    },

    /** From here on everything stays. The answer is kept until its request is remembered with it; null when nobody can ask for it. */
    commit: (id: string, answer: KeptAnswer | null): Promise<void> => batchStore.commit(id, answer === null ? '' : JSON.stringify(answer)),

    /** Afterwards nothing of the batch is there. */
    undo,

    /** The answer of an earlier batch under this request, if it was kept; null when the batch did not come to its end. */
    recover: async (requestId: string): Promise<{ readonly answer: KeptAnswer | null } | null> => {
      const row = await batchStore.findByRequest(requestId)
      if (row?.body == null) return null
      return { answer: row.body === '' ? null : (JSON.parse(row.body) as KeptAnswer) }
    },

    /** Forgets the answers that nobody may ask for any more. */
    purge: (): Promise<void> => batchStore.purge(new Date(clock.now().getTime() - limits.idempotencyHours * 3_600_000).toISOString()),

    /** Undoes what an earlier life of this server left open. */
    sweep: async (): Promise<void> => {
      for (const { id } of await batchStore.listAbandoned(node, bootId)) {
        log.info({ batch: id }, 'rolling back an interrupted batch')
        await undo(id)
      }
    },
  }
}

export type Batches = ReturnType<typeof createBatches>
