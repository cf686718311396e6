// What decides how a course can be started: the settings, the room, and the labs of a visitor. Read beside the course, so that its page
// can be painted with all of it.

import type { Capacity } from '../../../src/contract/capacity.ts'
import type { VisitorLab } from '../../../src/contract/lab-access.ts'
import type { PublicSettings } from '../../../src/contract/public-settings.ts'
import { useAccount } from '../account.ts'
import { client } from '../api.ts'
import { type Reading, useRequest } from '../use-request.ts'

const capacitySeconds = 15

export interface StartFacts {
  readonly settings: PublicSettings | undefined
  readonly capacity: Reading<Capacity>
  /** Those that this browser has started without an account. */
  readonly visitorLabs: readonly VisitorLab[]
  /** Some of it, or the account, is being read for the first time. */
  readonly isPending: boolean
}

export const useStartFacts = (): StartFacts => {
  const { me, isPending } = useAccount()
  const settings = useRequest('settings', () => client.settings())
  const capacity = useRequest('capacity', () => client.capacity(), capacitySeconds)
  const ofVisitor = useRequest(me === null ? 'visitor labs' : null, () => client.visitorLabs())
  return {
    settings: settings.value,
    capacity,
    visitorLabs: ofVisitor.value?.items ?? [],
    isPending: isPending || settings.isPending || capacity.isPending || ofVisitor.isPending,
  }
}
