// One look at one sandbox: a program in its probe for the network, and one beside each service for files and processes.
// Both are out of the sandbox's reach. When one cannot be started, the infrastructure failed; so it did when the probe falls
// silent. What an inspector cannot read in time is the sandbox's own doing, on a machine that is not slow by itself.

import type { Engine } from '../engine/engine.ts'
import { isLabError, messageOf } from '../errors.ts'
import { Ended, Failed, type Lines, openLines, Silence } from './lines.ts'
import { differs, late, type Observation } from './observation.ts'

const agent = ['python3', '/opt/probe/agent.py']
const inspector = ['python3', '/opt/probe/inspect_service.py']
const inspectionMs = 10_000

/** Grading could not be carried out; this says nothing about the sandbox. */
export class InfrastructureError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InfrastructureError'
  }
}

/** Something in the sandbox could not be seen: through its own doing, unless it was only late on a machine that is slow. */
export class Unseen extends Error {
  readonly observation: Observation

  constructor(observation: Observation) {
    super(observation.saw)
    this.name = 'Unseen'
    this.observation = observation
  }
}

export interface Observer {
  readonly sandbox: string
  readonly engine: Engine
  /** Asks the probe. */
  ask<T>(question: Record<string, unknown>, timeoutMs: number): Promise<T>
  /** Looks into a service. Throws Unseen. */
  look<T>(service: string, question: Record<string, unknown>): Promise<T>
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
      if (isLabError(error, 'container_not_running')) throw new Unseen(differs(`${service} is not running`))
      throw new InfrastructureError(`the inspector of ${service} could not be started`, error)
    }
  }

  const inspectorOf = (service: string): Promise<Lines> => {
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
  const askInspector = async <T>(service: string, question: Record<string, unknown>): Promise<T> => {
    const opened = inspectorOf(service)
    try {
      return await (await opened).ask(question, inspectionMs)
    } catch (error) {
      if (!(error instanceof Silence)) throw error
      if (inspectors.get(service) === opened) await forget(service)
      return await (await inspectorOf(service)).ask(question, error instanceof Ended ? inspectionMs : 2 * inspectionMs)
    }
  }

  return {
    sandbox,
    engine,
    warm: (service) => {
      inspectorOf(service).catch(() => undefined) // the look itself will tell
    },
    forget,
    ask: async (question, timeoutMs) => {
      const lines = await probe
      try {
        return await lines.ask(question, timeoutMs)
      } catch (error) {
        throw new InfrastructureError(`the probe did not answer: ${messageOf(error)}`, error)
      }
    },
    look: async (service, question) => {
      try {
        return await askInspector(service, question)
      } catch (error) {
        await forget(service)
        if (error instanceof Silence) throw new Unseen(late(`${service} could not be inspected`))
        if (error instanceof Failed) throw new Unseen(differs(`${service} could not be read: ${error.message}`))
        throw error
      }
    },
    close: async () => {
      await Promise.allSettled([probe.then((lines) => lines.close()), ...[...inspectors.keys()].map(forget)])
    },
  }
}
