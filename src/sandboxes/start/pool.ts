// The warm pool: sandboxes that are built, with their fault, before they are requested. They have no owner until they are claimed
// together with a slot (store/slots.ts); then the symptom is confirmed again, and the traffic goes to its full rate.

import type { Catalog } from '../../catalog/catalog.ts'
import type { Scenario } from '../../catalog/scenario.ts'
import type { ScenarioInstance } from '../../catalog/scenario-instance.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../circuit-breaker.ts'
import { addMinutes, type Clock } from '../../clock.ts'
import { coalesce } from '../../coalesce.ts'
import type { Limits } from '../../configured-limits.ts'
import { defaultCourseId } from '../../contract/course.ts'
import type { Engine } from '../../engine/engine.ts'
import { isLabError, messageOf } from '../../errors.ts'
import { readBaselineValues, versionIn } from '../../grading/baseline.ts'
import { requireVersion } from '../../grading/baseline-version.ts'
import { type Observer, openObserver } from '../../grading/observer.ts'
import { createId } from '../../ids.ts'
import type { Log } from '../../log.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import type { SlotStore } from '../../store/slots.ts'
import type { Builder } from './build.ts'
import { newRow } from './new-row.ts'
import { planPool } from './pool-plan.ts'
import { confirmSymptom, setTrafficRate } from './staging.ts'

export interface PoolDeps {
  readonly store: SandboxStore
  readonly slots: SlotStore
  readonly engine: Engine
  readonly catalog: Catalog
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
  readonly node: string
  readonly bootId: string
  readonly build: Builder
  /** The longest life that any caller may have. */
  readonly longestMinutes: number
}

/** Starts of the last minutes count as demand. */
const demandMinutes = 15
const warmTrafficRate = 0.1
/** Added to the deadline beyond build time and age, for extensions after a late claim. */
const spareMinutes = 5
const confirmMs = 2_000
const forgetMinutes = 5

export const createPool = (deps: PoolDeps) => {
  const { store, slots, engine, catalog, clock, log, limits, build } = deps
  const observers = new Map<string, Observer>()
  /** Made in advance: whoever claims a sandbox waits for little else. */
  const instances = new Map<string, ScenarioInstance>()
  const breakers = new Map<string, CircuitBreaker>()
  const filling = new Set<string>()
  let closed = false

  const breakerOf = (course: string): CircuitBreaker => {
    const breaker = breakers.get(course) ?? createCircuitBreaker()
    breakers.set(course, breaker)
    return breaker
  }

  const warmingRow = (scenario: Scenario): SandboxRow => {
    const deadlineMinutes = limits.warmMinutes + deps.longestMinutes + spareMinutes
    const life = { now: clock.now(), lifeMinutes: limits.warmMinutes, deadlineMinutes }
    return { ...newRow(scenario, createId(), life, deps), pool_state: 'warming' }
  }

  const closeObserver = async (id: string): Promise<void> => {
    const observer = observers.get(id)
    observers.delete(id)
    instances.delete(id)
    await observer?.close()
  }

  /** Removes an evicted sandbox with its row. While it is still being built, the row stays, because more containers may appear. */
  const remove = async (id: string): Promise<void> => {
    await closeObserver(id)
    await engine.destroy(id)
    if (!filling.has(id)) await store.erase(id)
  }

  const retire = async ({ id }: SandboxRow): Promise<void> => {
    if (await slots.evict(id, clock.now().toISOString())) await remove(id)
  }

  const make = async (row: SandboxRow, scenario: Scenario): Promise<boolean> => {
    const breaker = breakerOf(scenario.id)
    try {
      const baseline = await build({ row, scenario, deadline: new Date(row.deadline) })
      const observer = openObserver(engine, row.id)
      observers.set(row.id, observer)
      instances.set(row.id, scenario.instantiate(row.seed))
      await setTrafficRate(observer, warmTrafficRate)
      breaker.succeeded()
      return await slots.markWarm(row.id, baseline)
    } catch (error) {
      const evictedByOthers = !(await slots.evict(row.id, clock.now().toISOString()))
      if (!evictedByOthers && !isLabError(error, 'engine_unavailable')) breaker.failed()
      log.warn({ course: scenario.id, reason: messageOf(error), open: breaker.isOpen() }, 'a warm sandbox could not be created')
      return false
    }
  }

  const fill = async (scenario: Scenario, wanted: number): Promise<boolean> => {
    await engine.ping() // without an engine, no row
    const row = warmingRow(scenario)
    if (!(await slots.reserveWarm(row, limits.capacity, wanted))) return false
    filling.add(row.id)
    const warm = await make(row, scenario).finally(() => filling.delete(row.id))
    if (!warm) await remove(row.id).catch(() => undefined) // the reaper removes what is left
    return warm
  }

  /** One step towards the plan. False when there is nothing to do now. */
  const step = async (): Promise<boolean> => {
    const now = clock.now()
    const there = await slots.listUnclaimed()
    for (const id of observers.keys()) if ((await store.find(id))?.ended_at !== null) await closeObserver(id) // ended by another server
    const tooOld = there.find((row) => row.pool_state === 'warm' && row.expires_at <= now.toISOString())
    if (tooOld !== undefined) {
      await retire(tooOld)
      return true
    }
    const poolable = catalog.scenarios.filter((scenario) => scenario.warm)
    const plan = planPool({
      slots: limits.warm,
      courses: poolable.map(({ id }) => id),
      always: defaultCourseId,
      recent: await slots.demand(addMinutes(now, -demandMinutes).toISOString()),
    })
    const ofCourse = (id: string) => there.filter(({ course_id }) => course_id === id)
    const surplus = there.find(
      ({ course_id, pool_state }) => pool_state === 'warm' && ofCourse(course_id).length > (plan.get(course_id) ?? 0),
    )
    const missing = poolable.find(({ id }) => ofCourse(id).length < (plan.get(id) ?? 0) && !breakerOf(id).isOpen())
    if (surplus !== undefined && (missing !== undefined || there.length > limits.warm)) {
      await retire(surplus)
      return true
    }
    return missing !== undefined && (await fill(missing, plan.get(missing.id) ?? 0))
  }

  /** Builds and removes warm sandboxes one at a time until the plan is reached. Called whenever demand or capacity may have changed. */
  const refill = coalesce(async () => {
    try {
      while (!closed && (await step()));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the warm pool could not be reconciled')
    }
  })

  return {
    refill,
    remove,

    isFilling: (id: string): boolean => filling.has(id),

    /** Deletes rows of evicted sandboxes that could not be deleted earlier; the reaper removes what is left of them on the engine. */
    purge: (): Promise<void> => slots.eraseEvicted(addMinutes(clock.now(), -forgetMinutes).toISOString()),

    /** Whether a claimed sandbox still shows its symptom. If so, its traffic was set to the full rate. */
    verifyClaim: async (row: SandboxRow, baseline: string): Promise<boolean> => {
      const mine = instances.get(row.id)
      const instance = mine ?? catalog.find(row.course_id).instantiate(row.seed)
      const check = async (observer: Observer) => {
        observers.set(row.id, observer)
        await Promise.all([confirmSymptom(observer, instance, readBaselineValues(baseline), confirmMs), setTrafficRate(observer, 1)])
      }
      const checkAnew = async () => {
        await closeObserver(row.id)
        await check(openObserver(engine, row.id))
      }
      try {
        if (mine === undefined) await requireVersion(versionIn(baseline), engine, instance) // an older server may have built it
        const held = observers.get(row.id)
        if (held === undefined) await checkAnew()
        else await check(held).catch(checkAnew) // the observer may have ended with the engine
        return true
      } catch (error) {
        log.warn({ sandbox: row.id, course: row.course_id, reason: messageOf(error) }, 'a warm sandbox was discarded')
        return false
      } finally {
        void closeObserver(row.id)
      }
    },

    /** Closes its observers and waits for the sandbox that is being built; warm sandboxes stay for the next server. */
    close: async (): Promise<void> => {
      closed = true
      await refill()
      await Promise.allSettled([...observers.keys()].map(closeObserver))
    },
  }
}

export type Pool = ReturnType<typeof createPool>
