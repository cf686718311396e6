// The folders that a server and the verbs read: the project itself, and where scenarios are.

import { join } from 'node:path'
import type { Config } from './config.ts'

/** The folder of the project: scenarios, content and images are in there. */
export const root = join(import.meta.dirname, '..')

/** Where scenarios are: those of the project, then those of the installation. */
export const catalogFoldersOf = ({ scenariosDir }: Pick<Config, 'scenariosDir'>): readonly string[] => [
  join(root, 'scenarios'),
  ...(scenariosDir === undefined ? [] : [scenariosDir]),
]
