// An engine for work that may be interrupted: whoever does so finds nothing of it left.

import type { DockerEngine } from '../../engine/docker/docker-engine.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Display } from './display.ts'

/** Once interrupted, nothing that was asked of it ends any more, well or badly; the process does. */
export const tidiedUp = (engine: DockerEngine, display: Display): Engine => {
  const standing = new Set<string>()
  const underWay = new Set<Promise<void>>()
  const never = new Promise<never>(() => undefined)
  const waitedFor = (work: Promise<void>) => {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }
  let tidying = false
  const tidyUp = async (_signal: NodeJS.Signals, signalNumber: number) => {
    if (tidying) return // the signal may come twice: to us, and through whoever started us
    tidying = true
    display.report('removing unfinished sandboxes')
    const removeAll = () => Promise.allSettled([...standing].map((id) => engine.destroy(id)))
    await removeAll()
    await Promise.allSettled(underWay)
    await removeAll()
    await engine.removeInspectors().catch(() => undefined)
    display.done()
    process.stderr.write('Interrupted: nothing was recorded, and all sandboxes were removed.\n')
    process.exit(128 + signalNumber)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, tidyUp)
  return {
    ...engine,
    prepare: (progress) => waitedFor(engine.prepare(progress)),
    create: async (request) => {
      if (tidying) return never
      standing.add(request.id)
      await waitedFor(engine.create(request))
    },
    destroy: async (id) => {
      if (tidying) return never
      await engine.destroy(id)
      standing.delete(id)
    },
  }
}
