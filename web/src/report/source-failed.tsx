// Why a report or a replay cannot be shown.

import type { Failure } from '../api.ts'
import type { Source } from '../replay/source.ts'
import { Empty, Failed } from '../ui/states.tsx'

export const SourceFailed = ({
  source,
  error,
  retry,
}: {
  readonly source: Source
  readonly error: Failure
  readonly retry: () => void
}) => {
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
