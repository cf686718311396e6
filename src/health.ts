// The health check: ok, or degraded if the engine, the store or the disk watch does not work. It never fails itself.

import type { Clock } from './clock.ts'
import { version } from './version.ts'

const patienceMs = 3_000

interface Answering {
  ping(): Promise<void>
}

export const createHealth = (clock: Clock, parts: readonly Answering[]) => {
  /** False when it fails or times out. */
  const answers = (part: Answering): Promise<boolean> =>
    Promise.race([part.ping().then(() => true), clock.sleep(patienceMs).then(() => false)]).catch(() => false)

  const check = async () => {
    const all = await Promise.all(parts.map(answers))
    return { status: all.every(Boolean) ? ('ok' as const) : ('degraded' as const), version }
  }

  let checking: ReturnType<typeof check> | undefined

  /** Concurrent requests share one check. */
  return () => {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
}
