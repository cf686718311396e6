// Removes everything that an installation has on the engine, while no server of it runs.

import type { Installation } from '../../installation.ts'
import { poll } from '../../polling.ts'

const settleMs = 20_000

/** Until nothing is left: what the engine was making when a server was killed appears after the first look. */
export const removeSandboxes = async ({ store, engine, clock }: Installation): Promise<number> => {
  for (const row of await store.sandboxes.listLive()) await store.sandboxes.markTerminated(row.id, 'stopped', clock.now().toISOString())
  const removed = new Set<string>()
  const removeAll = async () => {
    const found = (await engine.list()).map(({ id }) => id)
    await Promise.all(found.map((id) => engine.destroy(id)))
    for (const id of found) removed.add(id)
    return found.length
  }
  await poll(removeAll, (found) => found === 0, { pauseMs: 200, withinMs: settleMs })
  return removed.size
}
