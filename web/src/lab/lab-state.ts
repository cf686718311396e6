// What is known of a lab, made of its events. Pure.

import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import type { ContainerState, Grading, LabGuests, OpenTerminals, SandboxEvent, SandboxState } from '../../../src/contract/event.ts'

type DataOf<Name extends SandboxEvent['event']> = Extract<SandboxEvent, { event: Name }>['data']

export interface LabState {
  /** Null until the first snapshot. */
  readonly sandbox: SandboxState | null
  /** By the name of the container; empty while nothing is known. */
  readonly containers: ReadonlyMap<string, ContainerState>
  readonly grading: Grading | null
  /** The last one that has ended. */
  readonly evaluation: EvaluationRecord | null
  /** The last grading has ended without a result. */
  readonly gradingFailure: DataOf<'grading_failed'> | null
  readonly warning: DataOf<'warning'> | null
  readonly end: DataOf<'end'> | null
  readonly terminals: OpenTerminals
  readonly guests: LabGuests
  /** The reader is let in no longer. */
  readonly removed: DataOf<'removed'> | null
}

export const unknownLab: LabState = {
  sandbox: null,
  containers: new Map(),
  grading: null,
  evaluation: null,
  gradingFailure: null,
  warning: null,
  end: null,
  terminals: [],
  guests: { partners: 0, watchers: 0 },
  removed: null,
}

const byName = (containers: readonly ContainerState[]) => new Map(containers.map((container) => [container.name, container]))

/** A later expiry makes the warning of the earlier one untrue. */
const withSandbox = (state: LabState, sandbox: SandboxState): LabState => {
  const isExtended = state.sandbox !== null && Date.parse(sandbox.expires_at) > Date.parse(state.sandbox.expires_at)
  return { ...state, sandbox, warning: isExtended ? null : state.warning }
}

/** A step may be told twice, by a snapshot and by its event. */
const withStep = (grading: Grading, step: Grading['steps'][number]): Grading => ({
  ...grading,
  steps: [...grading.steps.filter(({ name }) => name !== step.name), step],
})

export const afterEvent = (state: LabState, event: SandboxEvent): LabState => {
  switch (event.event) {
    case 'snapshot': {
      const { sandbox, containers, grading, evaluation, terminals, guests } = event.data
      const known = containers.length === 0 ? state.containers : byName(containers)
      return { ...withSandbox(state, sandbox), containers: known, grading, evaluation: evaluation ?? state.evaluation, terminals, guests }
    }
    case 'sandbox':
      return withSandbox(state, event.data)
    case 'container':
      return { ...state, containers: new Map(state.containers).set(event.data.name, event.data) }
    case 'terminals':
      return { ...state, terminals: event.data.open }
    case 'guests':
      return { ...state, guests: event.data }
    case 'removed':
      return { ...state, removed: event.data }
    case 'warning':
      return { ...state, warning: event.data }
    case 'grading':
      return { ...state, grading: event.data, gradingFailure: null }
    case 'step':
      return state.grading === null ? state : { ...state, grading: withStep(state.grading, event.data) }
    case 'evaluation':
      return { ...state, grading: null, gradingFailure: null, evaluation: event.data }
    case 'grading_failed':
      return { ...state, grading: null, gradingFailure: event.data }
    default:
      return { ...state, grading: null, warning: null, end: event.data }
  }
}

export const isOver = ({ sandbox, end }: LabState): boolean => end !== null || sandbox?.status === 'terminated'
