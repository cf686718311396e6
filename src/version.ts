// The version of this package.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/** The service's own version, from package.json. */
export const { version } = Package.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')))
