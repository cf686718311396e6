// The version of this package.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The service's own version, from package.json. */
export const version: string = (JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string })
  .version
