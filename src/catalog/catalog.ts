// Scenario folders on disk become scenarios: what is served, and the topology that an engine can build.
// Knows no engine at work and no store.

import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { parse } from 'yaml'
import type { FileSpec, ServiceSpec, Topology } from '../engine/engine.ts'
import { LabError, messageOf } from '../errors.ts'
import { ScenarioFile } from './scenario-file.ts'

const readyTimeoutSeconds = 60

export interface Scenario {
  readonly id: string
  readonly durationMinutes: number
  /** The services that can be entered, workstation first. */
  readonly containers: readonly string[]
  readonly images: readonly string[]
  readonly topology: Topology
}

export interface Catalog {
  readonly scenarios: readonly Scenario[]
  /** Folders that were left out, each with its reason. */
  readonly problems: readonly string[]
  /** Throws not_found. */
  find(id: string): Scenario
}

/** A file, or all files of a folder, as they will stand in the container. No link leads out of the scenario's folder. */
const readInto = async (folder: string, source: string, target: string): Promise<FileSpec[]> => {
  const real = await realpath(source)
  if (!real.startsWith(`${await realpath(folder)}${sep}`)) throw new Error(`${target}: a link leads out of the scenario folder`)
  const info = await stat(real)
  if (!info.isDirectory()) return [{ path: target, content: await readFile(source), executable: (info.mode & 0o100) !== 0 }]
  const names = (await readdir(source)).filter((name) => name !== '__pycache__').sort()
  return (await Promise.all(names.map((name) => readInto(folder, join(source, name), posix.join(target, name))))).flat()
}

type ServiceFile = ScenarioFile['services'][string]

const toService = async (folder: string, name: string, file: ServiceFile): Promise<ServiceSpec> => ({
  name,
  image: file.image,
  ...(file.command === undefined ? {} : { command: file.command }),
  environment: file.env,
  files: (await Promise.all(Object.entries(file.files).map(([target, source]) => readInto(folder, join(folder, source), target)))).flat(),
  storage: Object.entries(file.tmpfs).map(([path, { size, inodes }]) => ({
    path,
    bytes: size,
    ...(inodes === undefined ? {} : { inodes }),
  })),
  memoryBytes: file.memory,
  cpus: file.cpus,
  pids: file.pids,
  capabilities: file.caps,
  sysctls: file.sysctls,
  init: file.init,
  ...(file.ready === undefined ? {} : { ready: file.ready }),
})

const loadScenario = async (folder: string, name: string): Promise<Scenario> => {
  const parsed = ScenarioFile.safeParse(parse(await readFile(join(folder, 'scenario.yaml'), 'utf8')))
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '))
  }
  const file = parsed.data
  if (file.id !== name) throw new Error(`id: ${file.id} is not the name of its folder`)
  const services = await Promise.all(Object.entries(file.services).map(([service, spec]) => toService(folder, service, spec)))
  const names = Object.keys(file.services)
  return {
    id: file.id,
    durationMinutes: file.duration_minutes,
    containers: [file.workstation, ...names.filter((service) => service !== file.workstation)],
    images: [...new Set(services.map((service) => service.image))],
    topology: { services, readyTimeoutSeconds },
  }
}

export const loadCatalog = async (folder: string): Promise<Catalog> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const loaded = await Promise.allSettled(names.sort().map((name) => loadScenario(join(folder, name), name)))
  const scenarios = loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const problems = loaded.flatMap((result, index) => (result.status === 'rejected' ? [`${names[index]}: ${messageOf(result.reason)}`] : []))
  const byId = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  return {
    scenarios,
    problems,
    find: (id) => {
      const scenario = byId.get(id)
      if (scenario === undefined) throw new LabError('not_found', `there is no course ${id}`, { hint: 'scenario-01 is the default course' })
      return scenario
    },
  }
}
