// One look at one sandbox: a program in its probe for the network, and one beside each service for files and processes.
// Both are out of the sandbox's reach. When one cannot be started, the infrastructure failed; so it did when the probe falls
// silent. What an inspector cannot read in time is the sandbox's own doing, on a machine that is not slow by itself.

import type { z } from 'zod'
import type { Engine } from '../engine/engine.ts'
import { isLabError, messageOf } from '../errors.ts'
import { InvalidOutput } from '../helper-output.ts'
import { ChannelClosed, Failed, type Lines, NoAnswer, openLines } from './line-channel.ts'
import { differs, type Observation, oneLine, timedOut, unobservable } from './observation.ts'

const agent = ['python3', '/opt/probe/agent.py']
const inspector = ['python3', '/opt/probe/inspect_service.py']
const inspectionMs = 10_000
/** An inspector says by itself that it is late, before it would be taken for silent. */
const withinShare = 0.8

/** Grading could not be carried out; this says nothing about the sandbox. */
export class InfrastructureError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InfrastructureError'
  }
}

/** Something in the sandbox could not be seen: through its own doing, unless it was only late on a machine that is slow. */
export class Unobservable extends Error {
  readonly observation: Observation

  constructor(observation: Observation) {
    super(observation.saw)
    this.name = 'Unobservable'
    this.observation = observation
  }
}

type Question = Record<string, unknown>

export interface Observer {
  readonly sandbox: string
  readonly engine: Engine
  /** Asks the probe. */
  ask<Schema extends z.ZodType>(question: Question, schema: Schema, timeoutMs: number): Promise<z.infer<Schema>>
  /** Looks into a service. Throws Unobservable. */
  look<Schema extends z.ZodType>(service: string, question: Question, schema: Schema): Promise<z.infer<Schema>>
  /** Opens beside a service what a later look will need. */
  warm(service: string): void
  /** Drops what was opened beside a service, because the service restarts. */
  forget(service: string): Promise<void>
  close(): Promise<void>
}

const openInfrastructure = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new InfrastructureError(`${what} failed`, error)
  }
}

export const openObserver = (engine: Engine, sandbox: string): Observer => {
  const probe = openInfrastructure('the probe', async () => openLines(await engine.openProbe(sandbox, agent)))
  probe.catch(() => undefined) // whoever asks will hear of it
  const inspectors = new Map<string, Promise<Lines>>()

  const openInspector = async (service: string): Promise<Lines> => {
    try {
      return openLines(await engine.openInspector({ sandbox, service }, inspector))
    } catch (error) {
      if (isLabError(error, 'container_not_running')) throw new Unobservable(differs(`${service} is not running`))
      throw new InfrastructureError(`the inspector of ${service} could not be started`, error)
    }
  }

  /** A look that is still under way when the observer is closed opens nothing any more: nobody would close it. */
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
   * One that has ended is opened once more: an engine that restarts takes it along, and no sandbox can. So is one that was silent,
   * with more patience: what is slow because others are busy is soon seen.
   */
  const askInspector = async <Schema extends z.ZodType>(service: string, question: Question, schema: Schema) => {
    const ask = (lines: Lines, timeoutMs: number) => lines.ask({ ...question, within_ms: timeoutMs * withinShare }, schema, timeoutMs)
    const opened = inspectorOf(service)
    try {
      return await ask(await opened, inspectionMs)
    } catch (error) {
      if (error instanceof Failed && error.timedOut) return await ask(await inspectorOf(service), 2 * inspectionMs)
      if (!(error instanceof NoAnswer)) throw error
      if (inspectors.get(service) === opened) await forget(service)
      return await ask(await inspectorOf(service), error instanceof ChannelClosed ? inspectionMs : 2 * inspectionMs)
    }
  }

  return {
    sandbox,
    engine,
    warm: (service) => {
      inspectorOf(service).catch(() => undefined) // the look itself will tell
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
    look: async (service, question, schema) => {
      try {
        return await askInspector(service, question, schema)
      } catch (error) {
        const failed = error instanceof Failed || error instanceof InvalidOutput
        if (!failed) await forget(service)
        if (error instanceof NoAnswer || (error instanceof Failed && error.timedOut))
          throw new Unobservable(unobservable(timedOut(`${service} could not be inspected`)))
        if (failed) throw new Unobservable(unobservable(differs(`${service} could not be read: ${oneLine(error.message)}`)))
        throw error
      }
    },
    close: async () => {
      isClosed = true
      await Promise.allSettled([probe.then((lines) => lines.close()), ...[...inspectors.keys()].map(forget)])
    },
  }
}
