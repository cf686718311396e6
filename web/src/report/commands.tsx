// The commands of an attempt: those of the API as they were recorded, those of terminals as far as they can be read from their screens.

import type { AttemptReport } from '../../../src/contract/report.ts'
import { readCast } from '../replay/cast.ts'
import type { Source } from '../replay/source.ts'
import { markedStops } from '../replay/timeline.ts'
import { useRequest } from '../use-request.ts'
import { clockTime, counted } from '../words.ts'

interface ReportedCommand {
  readonly at: Date
  readonly text: string
}

/** Longer recordings are played, and not read for a list. */
const mostBytes = 4 * 2 ** 20
const mostShown = 200

const readCommands = async (source: Source, { recordings }: AttemptReport): Promise<ReportedCommand[]> => {
  const found: ReportedCommand[] = []
  for (const { recording_id, bytes, started_at } of recordings) {
    if (bytes > mostBytes) continue
    const cast = readCast(await source.recording(recording_id))
    if (cast === null) continue
    const marked = markedStops(cast)
    const { readScreenCommands } = await import('../replay/screen-commands.ts')
    const stops = marked.length > 0 ? marked : await readScreenCommands(cast)
    found.push(...stops.map(({ at, label }) => ({ at: new Date(Date.parse(started_at) + at * 1000), text: label })))
  }
  return found.toSorted((a, b) => a.at.getTime() - b.at.getTime())
}

export const Commands = ({ source, report }: { readonly source: Source; readonly report: AttemptReport }) => {
  const sizes = report.recordings.map(({ recording_id, bytes }) => `${recording_id} ${bytes}`).join()
  const { value, error } = useRequest(`commands ${source.key} ${sizes}`, () => readCommands(source, report))
  if (report.recordings.length === 0) return <p class="muted">Nothing was recorded, or it is no longer kept.</p>
  if (value === undefined)
    return <p class="muted">{error === undefined ? 'Reading the recordings …' : 'The recordings could not be read.'}</p>
  return (
    <>
      <p class="muted small">
        {`${counted(value.length, 'command')}${value.length > mostShown ? `, the first ${mostShown} are shown` : ''}. Those of terminals are read from the screen: what was typed is not recorded.`}
      </p>
      <ol class="report-commands">
        {value.slice(0, mostShown).map(({ at, text }) => (
          <li key={`${at.getTime()} ${text}`}>
            <span class="muted">{clockTime(at)}</span>
            <code>{text}</code>
          </li>
        ))}
      </ol>
    </>
  )
}
