// How many sandboxes of which course should stand ready. Pure: what is there and what was wanted in, numbers out.

export interface PoolDemand {
  /** How many may stand ready in all. */
  readonly slots: number
  /** Courses that may stand ready. */
  readonly courses: readonly string[]
  /** One of this always does. */
  readonly always: string
  /** Starts of each course in the recent past. */
  readonly recent: ReadonlyMap<string, number>
}

/**
 * As many of each as were wanted lately. Where that is more than there is room for, slots go one by one to the course with
 * the most starts per slot that it has already.
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
