// Warns the users of terminals before their sandbox expires. When the sandbox is extended, the warnings are given again.

import type { Clock } from '../../clock.ts'
import type { SandboxStore } from '../../store/sandboxes.ts'

/** Minutes before the end, the earliest first. */
const reminderMinutes = [5, 1]
const longestPauseMs = 15_000
const shortestPauseMs = 250

export const inMinutes = (minutes: number) => `less than ${minutes === 1 ? 'a minute' : `${minutes} minutes`} left`

/** The most urgent reminder that is due, or undefined. */
export const dueOf = (msLeft: number, reminders: readonly number[] = reminderMinutes): number | undefined =>
  reminders.filter((minutes) => msLeft <= minutes * 60_000).at(-1)

const pauseUntilNext = (msLeft: number): number => {
  const ahead = reminderMinutes.map((minutes) => msLeft - minutes * 60_000).filter((ms) => ms > 0)
  return Math.max(shortestPauseMs, Math.min(longestPauseMs, ...ahead))
}

/** Runs until it is aborted. */
export const remind = async (
  { store, clock }: { readonly store: SandboxStore; readonly clock: Clock },
  sandbox: string,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<void> => {
  let said: { readonly end: string; readonly minutes: number } | undefined
  while (!signal.aborted) {
    const row = await store.find(sandbox)
    if (row === null || row.status === 'terminated' || signal.aborted) return
    const msLeft = Date.parse(row.expires_at) - clock.now().getTime()
    const minutes = dueOf(msLeft)
    const isKnown = said?.end === row.expires_at && said.minutes === minutes
    if (minutes !== undefined && !isKnown) {
      warn(inMinutes(minutes))
      said = { end: row.expires_at, minutes }
    }
    await clock.sleep(pauseUntilNext(msLeft), signal)
  }
}
