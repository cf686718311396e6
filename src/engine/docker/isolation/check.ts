// The isolation check: attacks from inside a sandbox, as an attacker would try them, at every start of a server.

import type { IsolationFinding } from '../../engine.ts'
import { createAttacks } from './attacks.ts'
import { createReach } from './reach.ts'
import { createStage, type IsolationDeps } from './stage.ts'

export const checkIsolation = async (deps: IsolationDeps): Promise<IsolationFinding[]> => {
  const stage = createStage(deps)
  const reach = createReach(deps.clock, deps.traits, stage)
  const attack = createAttacks(deps.docker, deps.traits, stage)
  try {
    return await reach(attack)
  } finally {
    await stage.clear()
  }
}
