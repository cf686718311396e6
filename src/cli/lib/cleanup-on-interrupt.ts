// Wraps an engine so that SIGINT and SIGTERM remove every sandbox that was created through it, and then end the process.

import type { DockerEngine } from '../../engine/docker/docker-engine.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Display } from './display.ts'

/** After an interrupt, calls in progress neither resolve nor reject, so that no error is reported before the process exits. */
export const withCleanupOnInterrupt = (engine: DockerEngine, display: Display): Engine => {
  const created = new Set<string>()
  const underWay = new Set<Promise<void>>()
  const never = new Promise<never>(() => undefined)
  const waitedFor = (work: Promise<void>) => {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }
  let interrupted = false
  const cleanUp = async (_signal: NodeJS.Signals, signalNumber: number) => {
    if (interrupted) return // the signal may arrive twice: from the terminal, and from the parent process
    interrupted = true
    display.report('removing unfinished sandboxes')
    const removeAll = () => Promise.allSettled([...created].map((id) => engine.destroy(id)))
    await removeAll()
    await Promise.allSettled(underWay)
    await removeAll()
    await engine.removeInspectors().catch(() => undefined)
    display.done()
    process.stderr.write('Interrupted: all sandboxes were removed. Scenarios whose cases had all ended are recorded.\n')
    process.exit(128 + signalNumber)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, cleanUp)
  return {
    ...engine,
    prepare: (progress) => waitedFor(engine.prepare(progress)),
    create: async (request) => {
      if (interrupted) return never
      created.add(request.id)
      await waitedFor(engine.create(request))
    },
    destroy: async (id) => {
      if (interrupted) return never
      await engine.destroy(id)
      created.delete(id)
    },
  }
}
