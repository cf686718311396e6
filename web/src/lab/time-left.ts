// The time that a lab has left, in words, and when to warn. Pure, apart from the clock of the hook.

import { useEffect, useState } from 'preact/hooks'

export const countdown = (secondsLeft: number): string => {
  const whole = Math.max(0, Math.floor(secondsLeft))
  const hours = Math.floor(whole / 3600)
  const rest = `${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`
  return hours === 0 ? rest : `${hours}:${rest}`
}

const warnMinutes = [1, 5, 10] as const
export type WarnMinutes = (typeof warnMinutes)[number]

/** The most urgent warning that is due. A server whose clock is ahead may have warned already. */
export const warningDue = (secondsLeft: number, saidByServer: number | undefined): WarnMinutes | null => {
  const most = Math.min(secondsLeft / 60, saidByServer ?? Number.POSITIVE_INFINITY)
  return warnMinutes.find((minutes) => most <= minutes) ?? null
}

/** Seconds until a time, every second anew. */
export const useSecondsUntil = (time: string): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (Date.parse(time) - now) / 1000
}
