// Counters of the kernel that everybody on the machine shares, raised so that what each sandbox may take of them (see
// runtime.sh) adds up. They are only ever raised; memory is what bounds them, and that is counted per sandbox.

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

/** What could not be raised, by name: somebody else decides over this kernel. */
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
