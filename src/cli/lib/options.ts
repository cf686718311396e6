// Options that several verbs share, and how they override the environment.

import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'

export interface DataOptions {
  readonly data?: string
  readonly port?: string
}

export const withData = (command: Command): Command => command.option('--data <dir>', 'data directory (LAB_DATA_DIR, default .lab)')

export const environmentOf = (options: DataOptions): Record<string, string> => ({
  ...(options.data === undefined ? {} : { LAB_DATA_DIR: options.data }),
  ...(options.port === undefined ? {} : { LAB_PORT: options.port }),
})

export const configOf = (options: DataOptions): Config => readConfig(environmentOf(options))
