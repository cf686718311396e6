// The end of a case: its sandbox is removed, or left where its author wants to look at what failed.

import type { Engine } from '../engine/engine.ts'

/** Returns the id of a sandbox that is kept. One of which nothing exists, because it never came up, is not. */
export const endOrKeep = async (
  engine: Pick<Engine, 'describe' | 'destroy'>,
  sandbox: string,
  isWanted: boolean,
): Promise<string | undefined> => {
  if (isWanted && (await engine.describe(sandbox).catch(() => null)) !== null) return sandbox
  await engine.destroy(sandbox)
  return undefined
}
