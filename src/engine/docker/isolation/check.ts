// The isolation check, run at every start of a server: attacks from inside a sandbox, as an attacker would try them.

import type { IsolationFinding } from '../../engine.ts'
import { createStage, type IsolationDeps } from './attack-sandboxes.ts'
import { createKernelAttacks } from './kernel-attacks.ts'
import { createNetworkAttacks } from './network-attacks.ts'

const tries = 3

const checkOnce = async (deps: IsolationDeps): Promise<IsolationFinding[]> => {
  const stage = createStage(deps)
  const reach = createNetworkAttacks(deps.features, stage)
  const attack = createKernelAttacks(deps.docker, deps.features, stage)
  try {
    return await reach(attack)
  } finally {
    await stage.clear()
  }
}

/** A successful attack is conclusive. A failed control is not: on a busy machine the check is repeated. */
const isConclusive = (findings: readonly IsolationFinding[]): boolean => {
  const failed = findings.filter(({ passed }) => !passed)
  return failed.length === 0 || failed.some(({ check }) => !check.startsWith('control: '))
}

export const checkIsolation = async (deps: IsolationDeps): Promise<IsolationFinding[]> => {
  for (let left = tries - 1; ; left -= 1) {
    try {
      const findings = await checkOnce(deps)
      if (left === 0 || isConclusive(findings)) return findings
    } catch (error) {
      if (left === 0) throw error
    }
  }
}
