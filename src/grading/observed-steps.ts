// Steps 1 to 5: what they look at, in a sandbox that nothing disturbs meanwhile. Each looks at what its scenario says and at what the product
// sees to by itself.

import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import type { ObservedStep } from '../catalog/steps-file.ts'
import type { StepName } from '../contract/evaluation.ts'
import { differAll, holds, type Observation, sawOf } from '../probes/observation.ts'
import type { ProbeContext } from '../probes/probe-kind.ts'
import { type Baseline, baselineNames } from './baseline.ts'
import { observeStores } from './data-stores.ts'
import { observeKeptLogs, observeWrittenLogs } from './logs.ts'
import type { Observer } from './observer.ts'
import { observeAll } from './probe-tree.ts'
import { observeRecords } from './records.ts'
import { observeSecrets } from './secrets.ts'
import { observeTopology } from './topology.ts'

/** A sandbox, what it should be, and what it was before its fault. */
export interface Graded {
  readonly observer: Observer
  readonly instance: ScenarioInstance
  readonly baseline: Baseline
}

type Observe = () => Promise<Observation>

export interface ObservedSteps {
  readonly context: ProbeContext
  /** All five, in their order. */
  readonly all: readonly (readonly [StepName, Observe])[]
  /** One that a scenario writes down. */
  readonly observe: (step: ObservedStep) => Promise<Observation>
}

export const observedStepsOf = ({ observer, instance, baseline }: Graded): ObservedSteps => {
  const context: ProbeContext = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
  /** What the product sees to in a step by itself. */
  const ownChecks: Partial<Record<ObservedStep, readonly Observe[]>> = {
    data_preserved: [
      () => observeRecords(observer, instance.records, baseline.records),
      () => observeKeptLogs(observer, instance.watched, baseline.logs),
    ],
    safeguards_kept: [
      () => observeStores(observer, instance.dataStores, baseline.stores),
      () => observeWrittenLogs(observer, instance.watched, baseline.logs),
      () => observeSecrets(observer, instance, baseline.secrets),
    ],
  }
  const observe = async (step: ObservedStep): Promise<Observation> => {
    const authored = observeAll(instance.steps[step], context)
    const all = await Promise.all([authored, ...(ownChecks[step] ?? []).map((look) => look())])
    const wrong = all.filter(({ passed }) => !passed)
    return wrong.length > 0 ? differAll(wrong) : holds(sawOf(all))
  }
  return {
    context,
    observe,
    all: [
      ['topology_intact', () => observeTopology(observer, instance.guards, baseline)],
      ['service_recovered', () => observe('service_recovered')],
      ['root_cause_removed', () => observe('root_cause_removed')],
      ['data_preserved', () => observe('data_preserved')],
      ['safeguards_kept', () => observe('safeguards_kept')],
    ],
  }
}
