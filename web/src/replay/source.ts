// Where a report and its recordings come from: the reader's own sandbox, or a link that somebody has shared.

import type { AttemptReport } from '../../../src/contract/report.ts'
import { client } from '../api.ts'
import { pathTo } from '../route.ts'

/** The largest recording that is played in the page. */
const mostBytes = 32 * 2 ** 20

export interface Source {
  /** Names it among what was read. */
  readonly key: string
  readonly isShared: boolean
  /** How often an open page asks again whether it may still show it; undefined where nobody else can end that. */
  readonly checkSeconds: number | undefined
  readonly report: () => Promise<AttemptReport>
  readonly recording: (recordingId: string) => Promise<string>
  readonly reportPath: string
  readonly replayPath: string
}

export const ownSource = (sandboxId: string): Source => ({
  key: `own ${sandboxId}`,
  isShared: false,
  checkSeconds: undefined,
  report: () => client.report(sandboxId),
  recording: (recordingId) => client.recording(sandboxId, recordingId, mostBytes),
  reportPath: pathTo('report', { sandboxId }),
  replayPath: pathTo('replay', { sandboxId }),
})

/** The secret is in the fragment, which no browser sends. */
export const sharedSource = (address: URL): Source => {
  const secret = address.hash.slice(1)
  return {
    key: `shared ${secret}`,
    isShared: true,
    checkSeconds: 60,
    report: () => client.sharedReport(secret),
    recording: (recordingId) => client.sharedRecording(secret, recordingId, mostBytes),
    reportPath: `${pathTo('sharedReport')}#${secret}`,
    replayPath: `${pathTo('sharedReplay')}#${secret}`,
  }
}
