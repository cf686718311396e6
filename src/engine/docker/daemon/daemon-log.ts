// The log of the engine's daemon: why it did not start, and what keeps it from growing for ever.

import { open, readFile, stat, writeFile } from 'node:fs/promises'

const mostBytes = 16 * 2 ** 20
const keptBytes = 2 ** 20

/** The last fatal or error message in the log of a daemon that did not start, else its last line. */
export const lastWords = async (log: string): Promise<string> => {
  const lines = (await readFile(log, 'utf8')).slice(-16_384).trim().split('\n')
  const grave = lines.filter((line) => /^panic:|level=(?:fatal|error)|failed to start/.test(line))
  return (grave.at(-1) ?? lines.at(-1) ?? '').slice(0, 500)
}

/** Keeps the end of a log that has grown large. Whoever appends to it goes on behind that. */
export const shortenLog = async (log: string): Promise<void> => {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= mostBytes) return
  await using file = await open(log)
  const { buffer } = await file.read(Buffer.alloc(keptBytes), 0, keptBytes, size - keptBytes)
  await writeFile(log, buffer.subarray(buffer.indexOf('\n') + 1))
}
