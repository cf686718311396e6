// The hints that were given, and the way to the next.

import { hintsLeftWords } from '../../../src/client/hints-left.ts'
import { Markdown } from '../ui/markdown.tsx'
import { sentence } from '../words.ts'
import type { Actions } from './use-actions.ts'

/** Not a failure: it says something of the system, beside the hints. */
export const isNoneFitting = (failure: Actions['failure']): boolean => failure?.error.code === 'no_hint_fits'

interface HintsProps {
  readonly actions: Actions
  /** Of the course; undefined while it is not known. */
  readonly available: number | undefined
  readonly isOver: boolean
}

export const Hints = ({ actions, available, isOver }: HintsProps) => {
  const { hints, failure } = actions
  const last = hints.at(-1)
  const left = last?.hints_left ?? available
  const words = last !== undefined ? hintsLeftWords(last) : available === undefined ? null : hintsLeftWords({ hints_left: available })
  const noneFits = isNoneFitting(failure) ? failure : null
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
          {words === null ? null : <span class="muted small hint-left">{words}</span>}
        </p>
      )}
      {isOver || noneFits === null ? null : (
        <p class="notice" role="status">
          {`${sentence(noneFits.error.message)} ${sentence(noneFits.error.hint ?? '')}`}
        </p>
      )}
    </>
  )
}
