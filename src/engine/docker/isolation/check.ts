// The isolation check, run at every start of a server: attacks from inside a sandbox, as an attacker would try them.

import type { IsolationFinding } from '../../engine.ts'
import { createStage, type IsolationDeps } from './attack-sandboxes.ts'
import { createKernelAttacks } from './kernel-attacks.ts'
import { createNetworkAttacks } from './network-attacks.ts'

/** How long an attempt to reach something is waited for: longer where the controls failed, and in the end this long. */
const waitSeconds = { tries: [0.7, 3], last: 10 }

/** Rejects when it is interrupted. */
const abortOf = (interrupted: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true }))

const checkOnce = async (deps: IsolationDeps, seconds: number, interrupted: AbortSignal): Promise<IsolationFinding[]> => {
  interrupted.throwIfAborted()
  const stage = createStage(deps)
  const reach = createNetworkAttacks(deps.features, stage, seconds)
  const attack = createKernelAttacks(deps.docker, deps.features, stage)
  const attacks = reach(attack)
  try {
    return await Promise.race([attacks, abortOf(interrupted)])
  } finally {
    await stage.clear()
    if (interrupted.aborted) {
      await attacks.catch(() => undefined)
      await stage.clear() // what it created meanwhile
    }
  }
}

/** A successful attack is conclusive. A failed control is not: on a busy machine the check is repeated. */
const isConclusive = (findings: readonly IsolationFinding[]): boolean => {
  const failed = findings.filter(({ passed }) => !passed)
  return failed.length === 0 || failed.some(({ check }) => !check.startsWith('control: '))
}

/** An interrupted check removes its sandboxes and throws. */
export const checkIsolation = async (deps: IsolationDeps, interrupted: AbortSignal): Promise<IsolationFinding[]> => {
  for (const seconds of waitSeconds.tries) {
    const findings = await checkOnce(deps, seconds, interrupted).catch(() => null)
    if (findings !== null && isConclusive(findings)) return findings
  }
  return checkOnce(deps, waitSeconds.last, interrupted)
}
