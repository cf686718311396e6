// mutants.yaml of a scenario: its equivalent mutants, the damages that do no harm there and so cannot be found, each with the reason.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { describeProblem, readYaml, SourceError } from '../../catalog/yaml-source.ts'
import { mutantsFile } from '../proof-record.ts'

const Declaration = z.strictObject({
  mutant: z.string().min(1).describe('The name of a damage; * stands for any text.'),
  harmless: z.string().min(1).describe('Why it does no harm here.'),
})
const MutantsFile = z.array(Declaration)
export type Declaration = z.infer<typeof Declaration>

/** Throws SourceError. Without a file there are none. */
export const readDeclarations = async (folder: string): Promise<Declaration[]> => {
  const file = join(folder, mutantsFile)
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (!isThere) return []
  const { raw, check } = await readYaml(file)
  return check(MutantsFile, raw)
}

/** Every problem of the file, as file:line:column message. */
export const lintDeclarations = async (folder: string): Promise<string[]> => {
  try {
    await readDeclarations(folder)
    return []
  } catch (error) {
    if (error instanceof SourceError) return error.problems.map(describeProblem)
    throw error
  }
}

const patternOf = ({ mutant }: Declaration): RegExp =>
  new RegExp(
    `^${mutant
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  )

export const isDeclared = (declarations: readonly Declaration[], name: string): boolean =>
  declarations.some((declaration) => patternOf(declaration).test(name))
