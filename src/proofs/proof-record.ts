// The record of the last proof of a scenario, proof.json in its folder. It has hashes of everything that the proof depends on.

import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { proofFile, type Scenario } from '../catalog/scenario.ts'
import { filesBelow } from '../files-below.ts'
import { parentsOf } from '../image-parents.ts'

/** Hashes of everything that a proof depends on. */
export interface ProofContent {
  /** The scenario's folder and the images of its services. */
  readonly scenario: string
  /** What reads, stages and grades it, the probe's image included. */
  readonly grading: string
}

/** Equivalent mutants: damages that do no harm in a scenario. They decide no verdict, so the file is no part of what was proven. */
export const mutantsFile = 'mutants.yaml'

const count = z.int().min(0)
/** What the record of a measure was measured with. */
const measuredWith = { scenario: z.string(), grading: z.string(), seed: z.string() }

const MutationRecord = z.strictObject({
  ...measuredWith,
  /** Damages that were judged. */
  mutants: count,
  killed: count,
  /** Drawn and not tried: equivalent mutants, which do no harm there. */
  declared: count,
  survivors: z.array(z.string()),
  by_class: z.record(z.string(), z.strictObject({ mutants: count, killed: count, declared: count })),
})
export type MutationRecord = z.infer<typeof MutationRecord>

const FairnessRecord = z.strictObject({ ...measuredWith, changes: count, passed: count, failures: z.array(z.string()) })
export type FairnessRecord = z.infer<typeof FairnessRecord>

const ProofRecord = z.strictObject({
  scenario: z.string(),
  grading: z.string(),
  proven_at: z.string(),
  cases: z.int(),
  runs: z.int(),
  start_ms: z.int(),
  grade_ms: z.int(),
  /** How many damages grading found, where that was measured. */
  mutation: MutationRecord.optional(),
  /** How many harmless changes it let pass. */
  fairness: FairnessRecord.optional(),
})
export type ProofRecord = z.infer<typeof ProofRecord>

const isPartOfContent = (file: string) => !['.test.ts', `/${proofFile}`, `/${mutantsFile}`].some((end) => file.endsWith(end))

const hashOf = async (root: string, folders: readonly string[], single: readonly string[] = []): Promise<string> => {
  const hash = createHash('sha256')
  const files = [...(await Promise.all(folders.map(filesBelow))).flat(), ...single].filter(isPartOfContent)
  for (const file of files) {
    const content = await readFile(file)
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** The folders of images and of their base images. */
const imageFolders = async (root: string, names: readonly string[]): Promise<string[]> => {
  const found = new Set<string>()
  const add = async (name: string): Promise<void> => {
    if (name === 'base' || found.has(name)) return
    found.add(name)
    const dockerfile = await readFile(join(root, 'images', name, 'Dockerfile'), 'utf8')
    for (const parent of parentsOf(dockerfile)) await add(parent)
  }
  for (const name of names) await add(name)
  return [...found].sort().map((name) => join(root, 'images', name))
}

export const proofContentOf = async (root: string, scenario: Scenario): Promise<ProofContent> => ({
  scenario: await hashOf(root, [scenario.folder, ...(await imageFolders(root, scenario.images))]),
  grading: await hashOf(
    root,
    [
      join(root, 'src/grading'),
      join(root, 'src/catalog'),
      join(root, 'src/probes'),
      join(root, 'src/data-stores'),
      ...(await imageFolders(root, ['probe'])),
    ],
    [join(root, 'src/sandboxes/start/staging.ts')],
  ),
})

/** Null when it was never proven. */
export const readProofRecord = async (scenario: Scenario): Promise<ProofRecord | null> => {
  try {
    return ProofRecord.parse(JSON.parse(await readFile(join(scenario.folder, proofFile), 'utf8')))
  } catch {
    return null
  }
}

export const writeProofRecord = (scenario: Scenario, record: ProofRecord): Promise<void> =>
  writeFile(join(scenario.folder, proofFile), `${JSON.stringify(record, null, 2)}\n`)

/** Writes down a new proof; what was measured before stays, with what it was measured with. */
export const recordProof = async (scenario: Scenario, record: Omit<ProofRecord, 'mutation' | 'fairness'>): Promise<void> => {
  const { mutation, fairness } = (await readProofRecord(scenario)) ?? {}
  await writeProofRecord(scenario, { ...record, ...(mutation && { mutation }), ...(fairness && { fairness }) })
}

/** Adds a measure to the record and leaves the rest as it is. False where the scenario was never proven. */
export const recordMeasure = async (scenario: Scenario, measure: Pick<ProofRecord, 'mutation' | 'fairness'>): Promise<boolean> => {
  const record = await readProofRecord(scenario)
  if (record !== null) await writeProofRecord(scenario, { ...record, ...measure })
  return record !== null
}

/** Why a scenario has to be proven again; null when it need not. */
export const changeSince = (record: ProofRecord | null, now: ProofContent): string | null => {
  if (record === null) return 'was never proven'
  if (record.scenario !== now.scenario) return 'its folder or an image changed'
  return record.grading === now.grading ? null : 'grading changed'
}
