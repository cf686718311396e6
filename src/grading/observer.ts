// Observes one sandbox through two kinds of helper programs: one in its probe for the network, and an inspector for the files and
// processes of each service. A sandbox cannot tamper with either. If one cannot be started, or the probe does not answer, the
// infrastructure failed. If an inspector cannot read something in time, the sandbox caused it, unless the host is slow.

import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import { InvalidJson } from '../checked-json.ts'
import type { Engine, FileChange } from '../engine/engine.ts'
import { isLabError, messageOf } from '../errors.ts'
import { ChannelClosed, Failed, type Lines, NoAnswer, openLines } from '../line-channel.ts'
import { differs, type Observation, oneLine, timedOut, unobservable } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'

const networkProbe = ['python3', '/opt/probe/network_probe.py']
const inspectionMs = 10_000
const restarts = 2
const endingMs = 500
/** An inspector reports its own timeout a little before the service would stop waiting. */
const withinShare = 0.8

/** Grading failed for a reason outside the sandbox. */
export class InfrastructureError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InfrastructureError'
  }
}

/** Something in the sandbox could not be observed: caused by the sandbox, unless it timed out on a slow host. */
export class Unobservable extends Error {
  readonly observation: Observation

  constructor(observation: Observation) {
    super(observation.saw)
    this.name = 'Unobservable'
    this.observation = observation
  }
}

type Question = Record<string, unknown>

export interface Observer extends ProbeObserver {
  /** Starts the inspector of a service in advance. */
  warm(service: string): void
  /** Closes the inspector of a service that is about to restart. */
  forget(service: string): Promise<void>
  /** What a service's files differ in from its image; null when that is more than can be read. Throws Unobservable. */
  changes(service: string): Promise<readonly FileChange[] | null>
  close(): Promise<void>
}

/** There was no answer, which may be for want of time or memory. */
const wasCutOff = (error: unknown): boolean => error instanceof NoAnswer || (error instanceof Failed && (error.timedOut || error.killed))

/** What was read of a service, or not in time, is the sandbox's doing. Undefined for other errors. */
const unobservableBy = (service: string, error: unknown): Unobservable | undefined => {
  if (wasCutOff(error)) return new Unobservable(unobservable(timedOut(`${service} could not be inspected`)))
  if (error instanceof Failed || error instanceof InvalidJson)
    return new Unobservable(unobservable(differs(`${service} could not be read: ${oneLine(error.message)}`)))
  return undefined
}

const openInfrastructure = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new InfrastructureError(`${what} failed`, error)
  }
}

export const openObserver = (engine: Engine, sandbox: string): Observer => {
  const probe = openInfrastructure('the probe', async () => openLines(await engine.openProbe(sandbox, networkProbe)))
  probe.catch(() => undefined) // the first request reports it
  const inspectors = new Map<string, Promise<Lines>>()

  const openInspector = async (service: string): Promise<Lines> => {
    try {
      return openLines(await engine.openInspector({ sandbox, service }))
    } catch (error) {
      if (isLabError(error, 'container_not_running')) throw new Unobservable(differs(`${service} is not running`))
      throw new InfrastructureError(`the inspector of ${service} could not be started`, error)
    }
  }

  /** After closing, requests in progress must not start another inspector, because nothing would close it. */
  let isClosed = false

  const inspectorOf = (service: string): Promise<Lines> => {
    if (isClosed) return Promise.reject(new ChannelClosed('the observer was closed'))
    const known = inspectors.get(service)
    if (known !== undefined) return known
    const opening = openInspector(service)
    inspectors.set(service, opening)
    return opening
  }

  const forget = async (service: string): Promise<void> => {
    const opened = inspectors.get(service)
    inspectors.delete(service)
    await opened?.then(
      (lines) => lines.close(),
      () => undefined,
    )
  }

  /**
   * An inspector that has ended is started again, twice and after a pause: whatever ended all of them may still be ending the next one.
   * One that did not answer in time is asked, or started, once more, with a longer timeout, because the host may have been busy; so is
   * one whose inspection was killed, because those of other sandboxes may have taken the memory.
   */
  const askInspector = async <Schema extends z.ZodType>(
    service: string,
    question: Question,
    schema: Schema,
    { timeoutMs, left }: { readonly timeoutMs: number; readonly left: number } = { timeoutMs: inspectionMs, left: restarts },
  ): Promise<z.infer<Schema>> => {
    const opened = inspectorOf(service)
    try {
      return await (await opened).ask({ ...question, within_ms: timeoutMs * withinShare }, schema, timeoutMs)
    } catch (error) {
      const hasEnded = error instanceof ChannelClosed
      if (left === 0 || isClosed || !wasCutOff(error)) throw error
      if (error instanceof NoAnswer && inspectors.get(service) === opened) await forget(service)
      if (hasEnded || (error instanceof Failed && error.killed)) await delay(endingMs)
      return askInspector(service, question, schema, hasEnded ? { timeoutMs, left: left - 1 } : { timeoutMs: 2 * inspectionMs, left: 0 })
    }
  }

  /** Two steps may ask at once: one answer is for both. */
  const asking = new Map<string, Promise<readonly FileChange[] | null>>()
  const changesOf = (service: string): Promise<readonly FileChange[] | null> => {
    const asked = asking.get(service)
    if (asked !== undefined) return asked
    const answer = engine.changes({ sandbox, service }).finally(() => asking.delete(service))
    asking.set(service, answer)
    return answer
  }

  return {
    sandbox,
    engine,
    warm: (service) => {
      inspectorOf(service).catch(() => undefined) // the request itself reports it
    },
    forget,
    ask: async (question, schema, timeoutMs) => {
      const lines = await probe
      try {
        return await lines.ask(question, schema, timeoutMs)
      } catch (error) {
        throw new InfrastructureError(`the probe did not answer: ${messageOf(error)}`, error)
      }
    },
    inspect: async (service, question, schema) => {
      try {
        return await askInspector(service, question, schema)
      } catch (error) {
        if (!(error instanceof Failed || error instanceof InvalidJson)) await forget(service)
        throw unobservableBy(service, error) ?? error
      }
    },
    changes: async (service) => {
      try {
        return await changesOf(service)
      } catch (error) {
        throw unobservableBy(service, error) ?? error
      }
    },
    close: async () => {
      isClosed = true
      await Promise.allSettled([probe.then((lines) => lines.close()), ...[...inspectors.keys()].map(forget)])
    },
  }
}
