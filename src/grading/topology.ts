// Step 1, topology_intact: every service exists with its original image, programs and settings, and runs the original code.

import { z } from 'zod'
import { isBelow } from '../catalog/program-paths.ts'
import type { Guard } from '../catalog/scenario-instance.ts'
import { PreloadAnswer, ProcessesAnswer } from '../probes/kinds/process.ts'
import { differAll, differs, holds, type Observation } from '../probes/observation.ts'
import { isBackupCopy } from './backup-copies.ts'
import { type Baseline, readTrees, type ServiceBaseline } from './baseline.ts'
import { type Observer, Unobservable } from './observer.ts'
import { changedFolders, changedPrograms, intactPaths, shadowedBy } from './program-files.ts'
import { compareSettings, readSettings } from './settings-files.ts'

const inspectCode = async (
  observer: Observer,
  name: string,
  mustRun: readonly string[],
  before: ServiceBaseline,
  takenAt: number,
): Promise<string[]> => {
  if (mustRun.length === 0) return []
  const [{ processes }, { text: preload }] = await Promise.all([
    observer.inspect(name, { inspection: 'processes', since: takenAt }, ProcessesAnswer),
    observer.inspect(name, { inspection: 'preload' }, PreloadAnswer),
  ])
  const complaints: string[] = []
  if (preload !== before.preload) complaints.push(`${name} preloads a library into every program`)
  for (const path of mustRun) {
    const running = processes.filter((process) => process.executable === path)
    if (running.length === 0 || running.some((process) => process.sha256 !== before.code[path]))
      complaints.push(`${name} does not run its original ${path}`)
    if (running.some((process) => process.preload)) complaints.push(`${name} preloads a library into ${path}`)
    const foreign = running.flatMap((process) =>
      process.maps.filter(({ path: file, sha256, ctime }) => {
        const unchanged = ctime !== null && ctime <= takenAt
        return !unchanged && (sha256 === null || sha256 !== before.code[file])
      }),
    )
    if (foreign.length > 0) complaints.push(`${path} of ${name} runs code that was not there before, from ${foreign[0]?.path}`)
  }
  return complaints
}

const compareTrees = async (observer: Observer, name: string, guard: Guard, before: ServiceBaseline) => {
  const free = [...guard.mayChange, ...Object.keys(guard.settings)]
  const now = await readTrees(observer, name, intactPaths(guard))
  const paths = [...new Set([...Object.keys(before.trees), ...Object.keys(now)])].sort().filter((path) => !isBelow(path, free))
  const isCopy = (path: string) => before.trees[path] === undefined && isBackupCopy(path, before.trees, now)
  const altered = paths.find((path) => before.trees[path] !== now[path] && !isCopy(path))
  if (altered === undefined) return []
  const became = before.trees[altered] === undefined ? 'new' : now[altered] === undefined ? 'gone' : 'changed'
  return [`${altered} of ${name} is ${became}`]
}

const compareSettingsFiles = async (observer: Observer, name: string, { settings }: Guard, before: ServiceBaseline) => {
  const now = await readSettings(observer, name, settings, before.settings)
  return Object.entries(before.settings).flatMap(([path, file]) => {
    const wrong = compareSettings(file, now[path] ?? 'is gone')
    return wrong === undefined ? [] : [`${path} of ${name} ${wrong}`]
  })
}

const mostChanges = 20_000
const PowersAnswer = z.object({ paths: z.array(z.string()) })

/** Program files are unchanged and not shadowed, folders of the image belong to whom they did, nothing was opened, and no new file is setuid, setgid or has capabilities. */
const comparePrograms = async (observer: Observer, name: string, guard: Guard, before: ServiceBaseline) => {
  const changes = await observer.changes(name)
  const tooMany = [`${name} has too many changed files to check`]
  if (changes === null) return tooMany
  const opened = changes.find((change) => change.opened && !isBelow(change.path, guard.mayChange))
  if (opened !== undefined) return [`everybody may write to ${opened.path} of ${name}`]
  const [altered] = changedPrograms(changes, guard)
  if (altered !== undefined) return [`in ${name}, ${altered}`]
  const [folder] = changedFolders(changes, before.folders, guard.mayChange)
  if (folder !== undefined) return [`${folder} of ${name} has another owner or mode than before`]
  const searchPath = await observer.engine.searchPath({ sandbox: observer.sandbox, service: name })
  const [shadowed] = Object.keys(await readTrees(observer, name, shadowedBy(changes, searchPath)))
  if (shadowed !== undefined) return [`${shadowed} of ${name} is shadowed by another program of the same name`]
  const paths = changes.filter(({ kind }) => kind !== 'deleted').map(({ path }) => path)
  if (paths.length === 0) return []
  if (paths.length > mostChanges) return tooMany
  const [lifted] = (await observer.inspect(name, { inspection: 'powers', paths }, PowersAnswer)).paths
  return lifted === undefined ? [] : [`${lifted} of ${name} has setuid, setgid or file capabilities`]
}

export const observeTopology = async (
  observer: Observer,
  guards: Readonly<Record<string, Guard>>,
  baseline: Baseline,
): Promise<Observation> => {
  const state = await observer.engine.describe(observer.sandbox)
  const complaints = await Promise.all(
    Object.entries(baseline.services).map(async ([name, before]) => {
      const service = state?.services.find((entry) => entry.name === name)
      if (service === undefined) return [differs(`${name} is gone`)]
      if (!service.running) return [differs(`${name} is not running`)]
      if (service.imageId !== before.imageId || service.addresses.join() !== before.addresses.join())
        return [differs(`${name} has another image or address than before`)]
      const guard = guards[name] as Guard
      try {
        const found = await Promise.all([
          inspectCode(observer, name, guard.mustRun, before, baseline.takenAt),
          compareTrees(observer, name, guard, before),
          compareSettingsFiles(observer, name, guard, before),
          comparePrograms(observer, name, guard, before),
        ])
        return found.flat().map(differs)
      } catch (error) {
        if (error instanceof Unobservable) return [error.observation]
        throw error
      }
    }),
  )
  const all = complaints.flat()
  return all.length > 0 ? differAll(all) : holds(`${Object.keys(baseline.services).length} machines run their original programs`)
}
