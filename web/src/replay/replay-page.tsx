// The replay of an attempt: choose a terminal, and see what was on its screen.

import { useMemo, useState } from 'preact/hooks'
import type { Recording } from '../../../src/contract/recording.ts'
import type { AttemptReport } from '../../../src/contract/report.ts'
import { type PageProps, useTitle } from '../page.ts'
import { OwnOrSignIn } from '../report/own-or-sign-in.tsx'
import { isSwitchedOff, SourceFailed } from '../report/source-failed.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { clockTime, counted, day } from '../words.ts'
import '../styles/replay.css'
import { readCast } from './cast.ts'
import { Player } from './player.tsx'
import { ownSource, type Source, sharedSource } from './source.ts'
import { clock } from './timeline.ts'

const nameOf = ({ kind, container }: Recording) => (kind === 'exec' ? 'commands by the API' : (container ?? 'terminal'))

const isBroken = 'This is not a recording that can be played: its beginning cannot be read.'

const Recorded = ({
  source,
  report,
  recording,
}: {
  readonly source: Source
  readonly report: AttemptReport
  readonly recording: Recording
}) => {
  const { value, error, reload } = useRequest(`${source.key} ${recording.recording_id} ${recording.bytes}`, () =>
    source.recording(recording.recording_id),
  )
  const cast = useMemo(() => (value === undefined ? null : readCast(value)), [value])
  if (value === undefined) return error === undefined ? <Loading what="the recording" /> : <Failed error={error} retry={reload} />
  if (cast === null) {
    return (
      <p class="notice notice-failed" role="alert">
        {isBroken}
      </p>
    )
  }
  const fileName = `${report.course.id}-${recording.container ?? 'commands'}-${recording.recording_id}.cast`
  return <Player key={recording.recording_id} {...{ cast, recording, fileName }} text={value} />
}

const Replay = ({ source, report }: { readonly source: Source; readonly report: AttemptReport }) => {
  const { recordings } = report
  const longest = recordings.toSorted((a, b) => b.bytes - a.bytes)[0]
  const [chosen, setChosen] = useState(longest?.recording_id)
  const recording = recordings.find(({ recording_id }) => recording_id === chosen) ?? longest
  if (recording === undefined) {
    return (
      <Empty title="There is no recording of this attempt.">
        <p class="muted">
          Terminals and commands are recorded while they are used. Recordings are kept for some days after the end of the lab.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <fieldset class="chips replay-choice">
        <legend class="unseen">Which terminal</legend>
        {recordings.map((each) => (
          <button
            key={each.recording_id}
            type="button"
            class="chip"
            aria-pressed={each.recording_id === recording.recording_id}
            onClick={() => setChosen(each.recording_id)}
          >
            <span class="mono">{nameOf(each)}</span>
            <span class="muted small">{` ${clockTime(each.started_at)} · ${clock(each.duration_seconds)}`}</span>
          </button>
        ))}
      </fieldset>
      <Recorded key={recording.recording_id} {...{ source, report, recording }} />
    </>
  )
}

const ReplayOf = ({ source }: { readonly source: Source }) => {
  const { value, error, reload } = useRequest(`report ${source.key}`, source.report, source.checkSeconds)
  const report = isSwitchedOff(source, error) ? undefined : value
  const title = report?.course.title ?? report?.course.id ?? 'Replay'
  useTitle(`Replay: ${title}`)
  return (
    <div class="replay">
      <p class="crumbs">
        <a href={source.reportPath}>The report</a>
      </p>
      <p class="eyebrow">Replay</p>
      <h1>{title}</h1>
      {report === undefined ? (
        error === undefined ? (
          <Loading what="the replay" />
        ) : (
          <SourceFailed source={source} error={error} retry={reload} wasShown={value !== undefined} />
        )
      ) : (
        <>
          <p class="muted">
            {[report.name ?? 'Somebody', day(report.started_at), counted(report.recordings.length, 'recording')].join(' · ')}
          </p>
          <Replay source={source} report={report} />
        </>
      )}
    </div>
  )
}

export const ReplayPage = ({ params, address }: PageProps) => (
  <OwnOrSignIn here={address.pathname}>
    <ReplayOf source={ownSource(params['sandboxId'] ?? '')} />
  </OwnOrSignIn>
)

export const SharedReplayPage = ({ address }: PageProps) => <ReplayOf key={address.hash} source={sharedSource(address)} />
