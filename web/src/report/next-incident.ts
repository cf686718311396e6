// Which incident to do next: the same domain one tier up, then anything open of the same domain, then the easiest that is open. Pure.

import { type Course, Tier } from '../../../src/contract/course.ts'

const tiers: readonly string[] = Tier.options
const tierOf = ({ tier }: Pick<Course, 'tier'>) => tiers.indexOf(tier)

export interface Recommended {
  readonly course: Course
  readonly why: string
}

const easiest = (courses: readonly Course[]) => courses.toSorted((a, b) => tierOf(a) - tierOf(b))[0]

/** Undefined where nothing is left. `done` holds the courses that are solved, and the one that was just tried. */
export const nextIncident = (
  courses: readonly Course[],
  tried: { readonly id: string; readonly domain?: string | undefined; readonly tier?: Course['tier'] | undefined },
  done: ReadonlySet<string>,
): Recommended | undefined => {
  const open = courses.filter(({ id, kind }) => id !== tried.id && !done.has(id) && kind !== 'track')
  const sameDomain = open.filter(({ domain }) => domain === tried.domain)
  const level = tried.tier === undefined ? -1 : tiers.indexOf(tried.tier)
  const harder = easiest(sameDomain.filter((course) => tierOf(course) > level))
  if (harder !== undefined) return { course: harder, why: 'the same domain, the next tier' }
  const near = easiest(sameDomain)
  if (near !== undefined) return { course: near, why: 'the same domain, not solved yet' }
  const other = easiest(open)
  return other === undefined ? undefined : { course: other, why: 'not solved yet' }
}
