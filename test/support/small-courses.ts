// A catalog of copies of the small course, under other ids and with other fields.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './engine.ts'

interface Copy {
  readonly id: string
  /** Further lines of its scenario.yaml. */
  readonly fields?: string
  /** Never proven, as its author has it at first. */
  readonly isDraft?: boolean
}

/** The folder, for LAB_SCENARIOS_DIR. Whoever asks for it removes it. */
export const createSmallCourses = async (copies: readonly Copy[]): Promise<string> => {
  const catalog = await mkdtemp(join(tmpdir(), 'incident-lab-catalog-'))
  for (const { id, fields = '', isDraft = false } of copies) {
    const folder = join(catalog, id)
    await cp(join(root, 'test/catalog/scenario-01'), folder, { recursive: true })
    const file = join(folder, 'scenario.yaml')
    await writeFile(file, (await readFile(file, 'utf8')).replace('id: scenario-01\n', `id: ${id}\n${fields}`))
    if (isDraft) await rm(join(folder, 'proof.json'))
  }
  return catalog
}
