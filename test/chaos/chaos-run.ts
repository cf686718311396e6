// One chaos run: a server, sandboxes that must survive everything, visitors that start and stop sandboxes, and statistics.

import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { tryInProbe } from '../contract/fixture.ts'
import { createMember } from '../support/accounts.ts'
import { createRandom } from '../support/random.ts'
import { type MortalLab, smallCatalog } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'
import { disagreements } from './agreement.ts'
import { createVisitor, type Ledger, type Session, type Visitor } from './visitor.ts'
import { watchCapacity } from './watch.ts'

export interface DramaOptions {
  readonly lab: MortalLab
  readonly seed: number
  readonly capacity: number
}

/** The default course: as it is in a deep run, else a small one, so that most of a run is chaos and little of it building. */
export const courseOfChaos = deep
  ? { settings: {}, services: ['web', 'app', 'db'], symptom: '502' }
  : { settings: smallCatalog, services: ['web'], symptom: '404' }
/** The score of either when it is not repaired: three of seven steps pass. */
const brokenScore = 40
const settling = { timeout: 180_000, interval: 250 }

export interface Kept {
  readonly owner: Visitor
  readonly session: Session
}

export const createChaosRun = async ({ lab, seed, capacity }: DramaOptions) => {
  const random = createRandom(seed)
  const ledger: Ledger = new Map()
  const everybody: Visitor[] = []
  const dead = new Set<string>()
  let invited = 0
  const faults = new Map<string, number>()
  const watch = watchCapacity(lab, capacity)

  const invite = async (): Promise<Visitor> => {
    const own = createRandom(random.below(2 ** 32))
    invited += 1
    const name = `visitor-${invited}`
    const { token } = await createMember(lab.inside, name)
    const visitor = createVisitor({ lab, name, token, ledger, random: own })
    everybody.push(visitor)
    return visitor
  }

  /** A sandbox that has to survive everything that follows. */
  const keep = async (): Promise<Kept> => {
    const owner = await invite()
    const session = await owner.arrive()
    if (session === null) throw new Error('there was no room for what is to be kept')
    await owner.exec(session, 'echo kept > /tmp/kept')
    return { owner, session }
  }

  const traffic = async (sandbox: string): Promise<boolean> => {
    return (await tryInProbe(lab.inside.engine, sandbox, 'pgrep -f "[t]raffic.py"')).succeeded
  }

  const evidenceOf = async ({ id }: Session): Promise<string> => {
    const { sandboxes, evaluations } = lab.inside.store
    const accountId = (await sandboxes.find(id))?.account_id ?? ''
    return (await evaluations.listByAccount(accountId, { limit: 1 }))[0]?.evidence ?? 'none'
  }

  return {
    random,
    dead,
    faults,
    keep,

    inject: async (kind: string, fault: () => Promise<unknown>): Promise<void> => {
      faults.set(kind, (faults.get(kind) ?? 0) + 1)
      await fault()
    },

    /** Waits for a random time. */
    anyMoment: (withinMs: number) => delay(random.below(withinMs)),

    /** Visitors that arrive at about the same time. Resolves with how many had a sandbox, and the failures they saw. */
    crowd: async (size: number): Promise<{ served: number; troubles: string[] }> => {
      const visitors = await Promise.all(Array.from({ length: size }, invite))
      const visits = await Promise.allSettled(visitors.map((visitor) => visitor.visit()))
      const failures = visits.flatMap((visit) => (visit.status === 'rejected' ? [String(visit.reason)] : []))
      expect(failures, lab.log()).toEqual([])
      const served = visits.filter((visit) => visit.status === 'fulfilled' && visit.value).length
      return { served, troubles: visitors.flatMap((visitor) => visitor.troubles) }
    },

    /** Store and engine agree, and every job has ended. */
    settle: async (): Promise<void> => {
      const leftBehind = async () => {
        for (const visitor of everybody) {
          for (const session of await visitor.mine()) if (!ledger.has(session.session_id)) await visitor.leave(session)
        }
      }
      await expect
        .poll(async () => {
          await leftBehind()
          return disagreements(lab.inside, dead)
        }, settling)
        .toEqual([])
      for (const visitor of everybody) {
        for (const job of visitor.jobs) {
          const outcome = await visitor.send('GET', `/jobs/${job}`)
          expect(outcome).toMatchObject({ status: 200, body: { status: expect.stringMatching(/^(succeeded|failed|cancelled)$/) } })
        }
      }
    },

    /** The sandbox still has its files, symptom and traffic, and can be graded. */
    expectAlive: async ({ owner, session }: Kept): Promise<void> => {
      expect(await owner.exec(session, 'cat /tmp/kept')).toBe('kept\n')
      expect(await owner.exec(session, 'curl -s -o /dev/null -w %{http_code} http://web/api/sailings')).toBe(courseOfChaos.symptom)
      await expect.poll(() => traffic(session.id), { message: 'customers come', timeout: 30_000 }).toBe(true) // again, a moment after a repair
      const score = await owner.evaluate(session)
      expect(score, score === brokenScore ? '' : await evidenceOf(session)).toBe(brokenScore)
    },

    /** The capacity was never exceeded. */
    end: async (): Promise<void> => {
      const { excesses, samples } = await watch.end()
      expect(excesses).toEqual([])
      expect(samples).toBeGreaterThan(0)
    },
  }
}

export type ChaosRun = Awaited<ReturnType<typeof createChaosRun>>

/** The summary of a run. */
export const report = (suite: string, seed: number, faults: ReadonlyMap<string, number>): void => {
  const counts = [...faults].map(([kind, count]) => `${count} x ${kind}`)
  console.log(`chaos, ${suite}, seed ${seed}: ${counts.join(', ')}`)
}
