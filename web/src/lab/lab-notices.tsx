// What a person in a lab must know at once: the server is away, the time runs out, something failed, it has ended.

import { useState } from 'preact/hooks'
import { pathTo } from '../route.ts'
import { clockTime, counted, sentence } from '../words.ts'
import { isNoneFitting } from './hints.tsx'
import { ExtendButton } from './lab-bar.tsx'
import { useLabAs } from './lab-role.ts'
import { isOver, type LabState } from './lab-state.ts'
import { endWords } from './status-words.ts'
import { useSecondsUntil, type WarnMinutes, warningDue } from './time-left.ts'
import type { ActionName, Actions } from './use-actions.ts'
import type { FollowedLab } from './use-lab.ts'

const failedWords: Readonly<Record<ActionName, string>> = {
  grade: 'Grading failed',
  hint: 'There was no hint',
  extend: 'There is no more time',
  restart: 'The restart failed',
  'give up': 'The debrief cannot be read',
  stop: 'The lab was not stopped',
}

interface NoticeProps {
  readonly followed: FollowedLab
  readonly actions: Actions
  readonly extendMinutes: number | undefined
  readonly isGuest: boolean
}

const Expiry = ({ followed: { state }, actions, extendMinutes, isGuest }: NoticeProps) => {
  const expiresAt = state.sandbox?.expires_at ?? ''
  const due = warningDue(useSecondsUntil(expiresAt), state.warning?.minutes_left)
  const [dismissed, setDismissed] = useState<{ readonly end: string; readonly minutes: WarnMinutes } | null>(null)
  if (due === null || (dismissed?.end === expiresAt && dismissed.minutes === due)) return null
  const loss = state.sandbox?.status === 'completed' ? '' : ' All work in it is lost then.'
  return (
    <div class="notice notice-broken lab-notice" role="alert">
      <p>{`The lab ends in less than ${counted(due, 'minute')}, at ${clockTime(expiresAt)}.${loss}`}</p>
      {isGuest ? null : <ExtendButton extendMinutes={extendMinutes} actions={actions} />}
      <button type="button" class="link-button" onClick={() => setDismissed({ end: expiresAt, minutes: due })}>
        Understood
      </button>
    </div>
  )
}

const Ended = ({ state }: { readonly state: LabState }) => {
  const hasAccount = useLabAs().token === undefined
  return (
    <div class="notice lab-notice" role="status">
      <p>{`${endWords(state)} What you saw stays on this page until you leave it.`}</p>
      {state.sandbox === null ? null : (
        <>
          {hasAccount ? <a href={pathTo('report', { sandboxId: state.sandbox.id })}>Read the report</a> : null}
          <a href={pathTo('course', { courseId: state.sandbox.course_id })}>Start it again</a>
        </>
      )}
    </div>
  )
}

export const LabNotices = (props: NoticeProps) => {
  const { actions, followed } = props
  const { state, lostSince, refusal } = followed
  const { failure } = actions
  return (
    <div class="lab-notices">
      {isOver(state) ? <Ended state={state} /> : state.sandbox === null ? null : <Expiry {...props} />}
      {lostSince === null || isOver(state) ? null : (
        <p class="notice notice-broken lab-notice" role="status">
          {`The server has not answered since ${clockTime(lostSince)}. It is asked again every few seconds; your machines are not touched.`}
        </p>
      )}
      {refusal === null ? null : (
        <p class="notice notice-failed lab-notice" role="alert">
          {`This page is not told what happens in the lab: ${sentence(refusal.message)} Load it again.`}
        </p>
      )}
      {failure === null || isNoneFitting(failure) || (isOver(state) && failure.action !== 'give up') ? null : (
        <div class="notice notice-failed lab-notice" role="alert">
          <p>
            {`${failedWords[failure.action]}: ${sentence(failure.error.message)}`}
            {failure.error.hint === undefined ? null : ` ${sentence(failure.error.hint)}`}
          </p>
          <button type="button" class="link-button" onClick={actions.dismiss}>
            Close
          </button>
        </div>
      )}
    </div>
  )
}
