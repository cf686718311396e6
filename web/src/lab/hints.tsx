// The hints that were given, and the way to the next.

import { Markdown } from '../ui/markdown.tsx'
import { counted } from '../words.ts'
import type { Actions } from './use-actions.ts'

interface HintsProps {
  readonly actions: Actions
  /** Of the course; undefined while it is not known. */
  readonly available: number | undefined
  readonly isOver: boolean
}

export const Hints = ({ actions, available, isOver }: HintsProps) => {
  const { hints } = actions
  const left = hints.at(-1)?.hints_left ?? available
  return (
    <>
      <h2>Hints</h2>
      <p class="muted">From general to specific. They do not change the score; the result says how many were taken.</p>
      <ol class="hints">
        {hints.map(({ level, text }) => (
          <li key={level}>
            <h3>{`Hint ${level}`}</h3>
            <Markdown text={text} />
          </li>
        ))}
      </ol>
      {isOver ? null : left === 0 ? (
        <p>{hints.length === 0 ? 'This course has no hints.' : 'That was the last one.'}</p>
      ) : (
        <p>
          <button type="button" class="button" disabled={actions.isRunning('hint')} onClick={() => void actions.hint()}>
            {hints.length === 0 ? 'Show the first hint' : 'Show the next hint'}
          </button>
          {left === undefined ? null : <span class="muted small hint-left">{`up to ${counted(left, 'hint')} left`}</span>}
        </p>
      )}
    </>
  )
}
