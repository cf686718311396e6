// Raises kernel limits that the whole machine shares, so that there is enough for all sandboxes, each of which has a limit of its
// own (see runtime.sh). They are never lowered: what they allow costs memory, which is limited per sandbox.

import { readFile, writeFile } from 'node:fs/promises'

const wanted = {
  'fs/inotify/max_user_instances': 1_048_576,
  'fs/inotify/max_user_watches': 16_777_216,
  'kernel/pty/max': 131_072,
  'fs/file-max': 1_000_000_000,
  'fs/epoll/max_user_watches': 100_000_000,
  'net/ipv4/neigh/default/gc_thresh2': 65_536,
  'net/ipv4/neigh/default/gc_thresh3': 131_072,
} as const

/** Returns the names of those that could not be raised, for example in a container without access to sysctls. */
export const raiseKernelLimits = async (): Promise<string[]> => {
  const refused: string[] = []
  for (const [name, value] of Object.entries(wanted)) {
    const file = `/proc/sys/${name}`
    try {
      if (Number((await readFile(file, 'utf8')).trim()) < value) await writeFile(file, String(value))
    } catch {
      refused.push(name.replaceAll('/', '.'))
    }
  }
  return refused
}
