// Whether what the service stands on answers and watches as it should: ok, or degraded. Never an error of its own.

import type { Clock } from './clock.ts'
import { version } from './version.ts'

const patienceMs = 3_000

interface Answering {
  ping(): Promise<void>
}

export const createHealth = (clock: Clock, parts: readonly Answering[]) => {
  /** False when it fails, and when it hangs. */
  const answers = (part: Answering): Promise<boolean> =>
    Promise.race([part.ping().then(() => true), clock.sleep(patienceMs).then(() => false)]).catch(() => false)

  const look = async () => {
    const all = await Promise.all(parts.map(answers))
    return { status: all.every(Boolean) ? ('ok' as const) : ('degraded' as const), version }
  }

  let looking: ReturnType<typeof look> | undefined

  /** Those who ask at the same time get the same look. */
  return () => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
}
