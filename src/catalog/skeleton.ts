// Creates a scenario: a copy of the skeleton under a new id.

import { cp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LabError } from '../errors.ts'
import { summarizeIssues } from '../validation-messages.ts'
import { ScenarioFile } from './scenario-file.ts'

const skeletonFolder = join(import.meta.dirname, '../../content/skeleton')

/** Throws invalid_request when the id cannot be one, or is taken. */
export const beginScenario = async (scenarios: string, id: string): Promise<string> => {
  const parsed = ScenarioFile.shape.id.safeParse(id)
  if (!parsed.success)
    throw new LabError('invalid_request', summarizeIssues(parsed.error.issues, id).summary, { hint: 'such as scenario-42' })
  const folder = join(scenarios, id)
  const isTaken = await stat(folder).then(
    () => true,
    () => false,
  )
  if (isTaken) throw new LabError('invalid_request', `${id} exists already`, { hint: 'choose another id' })
  await cp(skeletonFolder, folder, { recursive: true, errorOnExist: true, force: false })
  const file = join(folder, 'scenario.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('"{{scenario_id}}"', id))
  return folder
}
