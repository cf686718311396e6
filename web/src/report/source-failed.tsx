// Why a report or a replay cannot be shown, or not any more.

import type { Failure } from '../api.ts'
import type { Source } from '../replay/source.ts'
import { Empty, Failed } from '../ui/states.tsx'

/** What was shown by a link is not shown once the link is off, whatever this page has read before. */
export const isSwitchedOff = ({ isShared }: Source, error: Failure | undefined): boolean => isShared && error?.code === 'not_found'

interface SourceFailedProps {
  readonly source: Source
  readonly error: Failure
  readonly retry: () => void
  /** It was shown until now. */
  readonly wasShown: boolean
}

export const SourceFailed = ({ source, error, retry, wasShown }: SourceFailedProps) => {
  if (wasShown && isSwitchedOff(source, error)) {
    return (
      <div role="alert">
        <Empty title="The link was switched off.">
          <p>This page has shown what it shared until now. Whoever gave it to you can make a new one.</p>
        </Empty>
      </div>
    )
  }
  if (error.code !== 'not_found') return <Failed error={error} retry={retry} />
  return source.isShared ? (
    <Empty title="Nothing is shared by this link.">
      <p>Whoever gave it to you may have switched it off. Ask for a new one.</p>
    </Empty>
  ) : (
    <Empty title="There is no such attempt of yours.">
      <p>
        <a href="/">All incidents</a>
      </p>
    </Empty>
  )
}
