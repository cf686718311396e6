// What the service looks at of itself: the engine, the store, the disk watch, and the isolation of sandboxes. It never fails itself.

import type { Clock } from './clock.ts'
import type { SelfCheck } from './contract/status.ts'
import { version } from './version.ts'

const patienceMs = 3_000

interface Answering {
  ping(): Promise<void>
}

export type CheckedParts = Readonly<Record<'engine' | 'store' | 'disk_watch', Answering>>

export const createHealth = (clock: Clock, parts: CheckedParts) => {
  /** False when it fails or times out. */
  const answers = (part: Answering): Promise<boolean> =>
    Promise.race([part.ping().then(() => true), clock.sleep(patienceMs).then(() => false)]).catch(() => false)

  const check = async () => {
    const names = Object.keys(parts) as (keyof CheckedParts)[]
    const checks: SelfCheck[] = await Promise.all(
      names.map(async (name) => ({ name, passed: await answers(parts[name]), checked_at: clock.now().toISOString() })),
    )
    return { status: checks.every(({ passed }) => passed) ? ('ok' as const) : ('degraded' as const), version, checks }
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

export type Health = ReturnType<typeof createHealth>
