// The head of a lab: which one, how its machines are, the time left, and what can be done.

import type { ContainerState } from '../../../src/contract/event.ts'
import { Glyph } from '../ui/icons.tsx'
import { countdown, useSecondsUntil } from './time-left.ts'
import type { Actions } from './use-actions.ts'

/** Filled while it runs, hollow when it has stopped, dashed while it is not known. */
export const machineWord = (state: ContainerState | undefined): 'runs' | 'has stopped' | 'is not known yet' => {
  if (state === undefined) return 'is not known yet'
  return state.status === 'running' ? 'runs' : 'has stopped'
}

export const MachineDot = ({ state }: { readonly state: ContainerState | undefined }) => (
  <span class={`machine-dot ${state === undefined ? 'machine-unknown' : `machine-${state.status}`}`} aria-hidden="true" />
)

interface MachinesProps {
  readonly names: readonly string[]
  readonly states: ReadonlyMap<string, ContainerState>
}

const Machines = ({ names, states }: MachinesProps) => {
  const stopped = names.filter((name) => states.get(name)?.status === 'stopped')
  return (
    <p class="lab-machines">
      <span class="machine-dots">
        {names.map((name) => (
          <MachineDot key={name} state={states.get(name)} />
        ))}
      </span>
      <span role="status">
        {stopped.length === 0 ? (
          `${names.length} machines`
        ) : (
          <>
            <strong class="mono">{stopped.join(', ')}</strong>
            {stopped.length === 1 ? ' has stopped' : ' have stopped'}
          </>
        )}
      </span>
    </p>
  )
}

interface TimeProps {
  readonly expiresAt: string
  readonly extendMinutes: number | undefined
  readonly actions: Actions
}

const urgentSeconds = 5 * 60

export const ExtendButton = ({ extendMinutes, actions }: Omit<TimeProps, 'expiresAt'>) => (
  <button
    type="button"
    class="button button-small"
    disabled={actions.isRunning('extend') || actions.failure?.error.code === 'lifetime_exhausted'}
    onClick={() => void actions.extend()}
  >
    {extendMinutes === undefined ? 'More time' : `+${extendMinutes} min`}
    {extendMinutes === undefined ? null : <span class="unseen"> more time</span>}
  </button>
)

const Time = ({ expiresAt, isGuest, ...extend }: TimeProps & { readonly isGuest: boolean }) => {
  const secondsLeft = useSecondsUntil(expiresAt)
  return (
    <div class="lab-time">
      <span class={secondsLeft < urgentSeconds ? 'lab-clock lab-clock-urgent' : 'lab-clock'} role="timer">
        {`${countdown(secondsLeft)} left`}
      </span>
      {isGuest ? null : <ExtendButton {...extend} />}
    </div>
  )
}

export interface LabBarProps extends MachinesProps, TimeProps {
  readonly title: string
  readonly isOver: boolean
  /** A guest looks on, or types; the owner decides. */
  readonly isGuest: boolean
  readonly isGrading: boolean
  readonly isSideOpen: boolean
  readonly toggleSide: () => void
  readonly grade: () => void
  readonly hint: () => void
  readonly stop: () => void
}

export const LabBar = ({
  title,
  names,
  states,
  isOver,
  isGuest,
  isGrading,
  isSideOpen,
  toggleSide,
  grade,
  hint,
  stop,
  ...time
}: LabBarProps) => {
  const sideLabel = isSideOpen ? 'Hide brief, hints and steps' : 'Show brief, hints and steps'
  return (
    <div class="lab-bar">
      <button type="button" class="icon-button" aria-label={sideLabel} title={sideLabel} aria-expanded={isSideOpen} onClick={toggleSide}>
        <Glyph name="side" />
      </button>
      <h1 class="lab-title" title={title}>
        {title}
      </h1>
      {isOver ? null : (
        <>
          <Machines names={names} states={states} />
          <Time {...time} isGuest={isGuest} />
        </>
      )}
      {isOver || isGuest ? null : (
        <div class="lab-actions">
          <button type="button" class="button button-small" title="Ctrl-] h" onClick={hint}>
            Hint
          </button>
          <button type="button" class="button button-small button-primary" title="Ctrl-] g" disabled={isGrading} onClick={grade}>
            {isGrading ? 'Grading …' : 'Grade'}
          </button>
          <button type="button" class="button button-small button-stop" title="Ctrl-] s" onClick={stop}>
            Stop
          </button>
        </div>
      )}
    </div>
  )
}
