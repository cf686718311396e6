// Tells the event stream of a sandbox (sandboxes/events/watch.ts) when a service has started or stopped, from the events of the engine: one
// connection for all sandboxes, open as long as somebody listens. After a broken connection it listens again, and then everybody is told
// to look. Grading does not use it: it observes by itself, and nothing is pushed to it.

import { z } from 'zod'
import { parseCheckedJson } from '../../checked-json.ts'
import type { Engine } from '../engine.ts'
import type { Docker } from './connection.ts'
import { listenToEvents } from './engine-events.ts'
import { labelFilter, labelKeys } from './labels.ts'

const ServiceEvent = z.object({ Actor: z.object({ Attributes: z.record(z.string(), z.string()) }) })
const reconnectMs = 2_000

export const createServiceEvents = (docker: Docker, installation: string): Pick<Engine, 'onServiceChange'> => {
  const listeners = new Map<string, Set<() => void>>()
  let connection: Promise<() => void> | undefined

  const take = (line: string) => {
    try {
      const { Actor } = parseCheckedJson(ServiceEvent, line)
      for (const changed of listeners.get(Actor.Attributes[labelKeys.sandbox] ?? '') ?? []) changed()
    } catch {
      // not an event
    }
  }

  const connect = () => {
    if (connection !== undefined || listeners.size === 0) return
    const lost = () => {
      if (connection !== opened) return
      connection = undefined
      setTimeout(connect, reconnectMs).unref()
    }
    const filters = { type: ['container'], event: ['start', 'die', 'oom'], ...labelFilter({ installation, role: 'service' }) }
    const opened = listenToEvents(docker, { filters, take, ended: lost })
    connection = opened
    opened.then(() => {
      for (const waiting of listeners.values()) for (const changed of waiting) changed()
    }, lost)
  }

  const disconnect = () => {
    const open = connection
    connection = undefined
    open?.then(
      (close) => close(),
      () => undefined,
    )
  }

  return {
    onServiceChange: (sandbox, changed) => {
      const waiting = listeners.get(sandbox) ?? new Set()
      listeners.set(sandbox, waiting.add(changed))
      connect()
      return () => {
        waiting.delete(changed)
        if (waiting.size > 0) return
        listeners.delete(sandbox)
        if (listeners.size === 0) disconnect()
      }
    },
  }
}
