// Step 1: every authored service is there, made of its authored image, and what must run runs its authored code.

import type { Baseline, ServiceBaseline } from './baseline.ts'
import { differAll, differs, holds, type Observation } from './observation.ts'
import { type Observer, Unseen } from './observer.ts'
import type { ProcessEntry } from './probes/process.ts'

const inspectService = async (
  observer: Observer,
  name: string,
  mustRun: readonly string[],
  before: ServiceBaseline,
  takenAt: number,
): Promise<Observation[]> => {
  const [{ processes }, { text: preload }] = await Promise.all([
    observer.look<{ processes: ProcessEntry[] }>(name, { look: 'processes', since: takenAt }),
    observer.look<{ text: string }>(name, { look: 'preload' }),
  ])
  const complaints: string[] = []
  if (preload !== before.preload) complaints.push(`${name} preloads a library into every program`)
  for (const path of mustRun) {
    const running = processes.filter((process) => process.executable === path)
    if (running.length === 0 || running.some((process) => process.sha256 !== before.code[path]))
      complaints.push(`${name} does not run its own ${path}`)
    if (running.some((process) => process.preload)) complaints.push(`${name} preloads a library into ${path}`)
    const foreign = running.flatMap((process) =>
      process.maps.filter(({ path: file, sha256, ctime }) => {
        const unchanged = ctime !== null && ctime <= takenAt
        return !unchanged && (sha256 === null || sha256 !== before.code[file])
      }),
    )
    if (foreign.length > 0) complaints.push(`${path} of ${name} runs foreign code from ${foreign[0]?.path}`)
  }
  return complaints.map(differs)
}

export const observeTopology = async (
  observer: Observer,
  mustRun: Readonly<Record<string, readonly string[]>>,
  baseline: Baseline,
): Promise<Observation> => {
  const state = await observer.engine.describe(observer.sandbox)
  const complaints = await Promise.all(
    Object.entries(baseline.services).map(async ([name, before]) => {
      const service = state?.services.find((entry) => entry.name === name)
      if (service === undefined) return [differs(`${name} is gone`)]
      if (!service.running) return [differs(`${name} is not running`)]
      if (service.imageId !== before.imageId || service.addresses.join() !== before.addresses.join())
        return [differs(`${name} is not the machine that it was`)]
      const required = mustRun[name] ?? []
      if (required.length === 0) return []
      try {
        return await inspectService(observer, name, required, before, baseline.takenAt)
      } catch (error) {
        if (error instanceof Unseen) return [error.observation]
        throw error
      }
    }),
  )
  const all = complaints.flat()
  return all.length > 0 ? differAll(all) : holds(`${Object.keys(baseline.services).length} machines run what they ran before`)
}
