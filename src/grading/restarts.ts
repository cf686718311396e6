// Restarts services of a sandbox that is graded, after a kill as well. What does not start again is the sandbox's doing; an engine that refuses once is asked again.

import { setTimeout as delay } from 'node:timers/promises'
import { isLabError, messageOf } from '../errors.ts'
import { oneLine } from '../probes/observation.ts'
import type { Observer } from './observer.ts'

const againMs = 1_000

/** Why it did not restart; null when it did. Throws engine_unavailable. */
const restartOne = async (observer: Observer, service: string): Promise<string | null> => {
  const restart = () => observer.engine.restart({ sandbox: observer.sandbox, service })
  await observer.forget(service)
  try {
    await restart().catch(async (error: unknown) => {
      if (isLabError(error, 'container_not_running')) throw error
      await delay(againMs)
      await restart()
    })
    return null
  } catch (error) {
    if (isLabError(error, 'engine_unavailable')) throw error
    return `${service} did not restart: ${oneLine(messageOf(error))}`
  }
}

/** Which did not restart, and why. None is left stopped because of another: all are tried before an error is thrown. */
export const restartServices = async (observer: Observer, services: readonly string[]): Promise<string[]> => {
  const outcomes = await Promise.allSettled(services.map((service) => restartOne(observer, service)))
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  if (refused !== undefined) throw refused.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value !== null ? [outcome.value] : []))
}

/** At once: its inspector, which ends with it, is closed meanwhile. */
const kill = async (observer: Observer, service: string): Promise<void> => {
  await Promise.all([observer.engine.kill({ sandbox: observer.sandbox, service }), observer.forget(service)])
}

/** Throws when all kills are over, so that none ends what was started again. */
export const killAll = async (observer: Observer, services: readonly string[]): Promise<void> => {
  const kills = await Promise.allSettled(services.map((service) => kill(observer, service)))
  for (const outcome of kills) if (outcome.status === 'rejected') throw outcome.reason
}

/** Returns what did not start. They start whatever happens, so that a grading that fails leaves nothing stopped. */
export const killAndRestart = async (observer: Observer, services: readonly string[]): Promise<readonly string[]> => {
  let lost: readonly string[] = []
  try {
    await killAll(observer, services)
  } finally {
    lost = await restartServices(observer, services)
  }
  return lost
}
