// The secret of the installation: from the configuration, else generated once and stored in the data directory with mode 0600.

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const readSecret = async (configured: string | undefined, dataDir: string): Promise<string> => {
  if (configured !== undefined) return configured
  const file = join(dataDir, 'secret')
  await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length < 32) throw new Error(`${file} does not hold a secret; remove it to have another made (every session id then changes)`)
  return secret
}
