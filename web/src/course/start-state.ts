// Whether a course can be started here, by this reader, now, and what to say about it. Pure.

import type { Me } from '../../../src/contract/account.ts'
import type { Capacity } from '../../../src/contract/capacity.ts'
import type { Course } from '../../../src/contract/course.ts'
import type { PublicSettings } from '../../../src/contract/public-settings.ts'
import { counted, duration } from '../words.ts'

export type StartRefusal = 'sign_in' | 'plan' | 'credits' | 'engine' | null

type Offered = Pick<Course, 'access' | 'cluster' | 'requires_account'>
type Rules = Pick<PublicSettings, 'extra_capabilities' | 'payments' | 'requires_plan'> & {
  readonly limits: Pick<PublicSettings['limits'], 'sandboxes_per_anonymous_address'>
}

/** What an agent may start without an account. */
const isForVisitors = ({ access, cluster, requires_account }: Offered, { payments, requires_plan, limits }: Rules): boolean =>
  !requires_account &&
  !requires_plan &&
  cluster !== 'large' &&
  limits.sandboxes_per_anonymous_address > 0 &&
  (access === 'free' || payments === 'off')

/** Only what is known for sure: the server decides. */
export const refusalOf = (course: Offered, me: Pick<Me, 'plan' | 'credits' | 'role'> | null, rules: Rules): StartRefusal => {
  if (course.requires_account && !rules.extra_capabilities) return 'engine'
  if (me === null) return isForVisitors(course, rules) ? null : 'sign_in'
  if (me.plan !== null || me.role === 'operator') return null
  if (course.access === 'pro' && rules.payments !== 'off') return 'plan'
  if (rules.requires_plan && me.credits === 0) return 'credits'
  return null
}

/** How it stands with room, in a sentence. */
export const roomText = ({ status, available, warm, queue }: Capacity, courseId: string): string => {
  if (status === 'full') return `All places are taken, and ${counted(queue.length, 'start')} wait. Try again in a few minutes.`
  if (status === 'busy') {
    const wait = queue.estimated_wait_seconds === null ? '' : `, about ${duration(queue.estimated_wait_seconds)}`
    return `All places are taken. You would be number ${queue.length + 1} in the queue${wait}.`
  }
  const ready = Object.hasOwn(warm, courseId) && (warm[courseId] ?? 0) > 0
  return `${counted(available, 'place')} free. ${ready ? 'One is built already and starts at once.' : 'It takes some seconds to build.'}`
}
