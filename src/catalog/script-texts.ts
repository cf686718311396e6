// The texts of a scenario's scripts as they are run, with the helper files that a check asks for.

import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const helperLine = /^# with (checks\/[\w.-]+)$/gm

/** The files of its folder that a script asks for (`# with checks/shop.py`). */
export const helpersOf = (script: string): string[] => [...script.matchAll(helperLine)].map(([, path = '']) => path)

/** The text of a script as it is run. A check first writes its helper files beside it. */
const readScript = async (folder: string, path: string): Promise<string> => {
  const script = await readFile(join(folder, path), 'utf8')
  const helpers = path.startsWith('checks/') ? helpersOf(script) : []
  const providedFiles = helpers.map(async (helper) => {
    const text = await readFile(join(folder, helper), 'utf8')
    return `cat > ${basename(helper)} <<'END OF HELPER'\n${text.trimEnd()}\nEND OF HELPER\n`
  })
  return [...(await Promise.all(providedFiles)), script].join('')
}

export const readTexts = async (folder: string, paths: readonly string[]): Promise<Map<string, string>> =>
  new Map(await Promise.all([...new Set(paths)].map(async (path) => [path, await readScript(folder, path)] as const)))
