// The debrief of a lab, once it may be read: after a pass, and after it was given up.

import { client } from '../api.ts'
import { useRequest } from '../use-request.ts'
import { useLabAs } from './lab-role.ts'
import type { LabState } from './lab-state.ts'
import type { Actions } from './use-actions.ts'

export interface Debrief {
  /** It may be read. */
  readonly isDue: boolean
  readonly text: string | null
}

export const useDebrief = ({ evaluation, sandbox }: LabState, { debrief }: Actions): Debrief => {
  const { token } = useLabAs()
  const passed = evaluation?.passed === true ? evaluation.id : null
  const isReadable = passed !== null && token === undefined // whoever came by a ticket was told it with the result
  const detail = useRequest(!isReadable ? null : `evaluation ${passed}`, () => client.evaluation(passed ?? ''))
  const text = debrief ?? detail.value?.debrief ?? null
  return { isDue: text !== null || isReadable || (token === undefined && sandbox?.given_up_at !== undefined), text }
}
