// Plans the warm pool: how many sandboxes of each course should be ready. A pure function of capacity and recent demand.

export interface PoolDemand {
  /** The size of the pool. */
  readonly slots: number
  /** Courses that may be in the pool. */
  readonly courses: readonly string[]
  /** The course of which one is always ready. */
  readonly always: string
  /** Starts of each course in the recent past. */
  readonly recent: ReadonlyMap<string, number>
}

/**
 * As many of each course as were started recently. If that exceeds the slots, they go one by one to the course with the most starts
 * per slot that it already has.
 */
export const planPool = ({ slots, courses, always, recent }: PoolDemand): ReadonlyMap<string, number> => {
  const wanted = (course: string) => Math.max(recent.get(course) ?? 0, course === always ? 1 : 0)
  const plan = new Map<string, number>()
  if (slots > 0 && courses.includes(always)) plan.set(always, 1)
  let left = slots - plan.size
  for (; left > 0; left -= 1) {
    const given = (course: string) => plan.get(course) ?? 0
    const open = courses.filter((course) => given(course) < wanted(course))
    if (open.length === 0) break
    const share = (course: string) => wanted(course) / (given(course) + 1)
    const next = open.reduce((best, course) => (share(course) > share(best) ? course : best))
    plan.set(next, given(next) + 1)
  }
  return plan
}
