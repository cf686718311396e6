// Lists all files below a folder, sorted, without Python's __pycache__.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Full paths; none when there is no such folder. */
export const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
  return files.map((entry) => join(entry.parentPath, entry.name)).sort()
}
