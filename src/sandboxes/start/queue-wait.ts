// How long a start will have to wait, from how long sandboxes really lived. A guess is never given as knowledge.

const leastEnds = 3

/** Whole seconds until the given place in the queue comes up; null while too few ends were seen to tell. */
export const estimateWaitSeconds = (
  position: number,
  capacity: number,
  lifetimes: readonly { readonly created_at: string; readonly ended_at: string }[],
): number | null => {
  if (position <= 0) return 0
  if (lifetimes.length < leastEnds) return null
  const seconds = lifetimes.map(({ created_at, ended_at }) => (Date.parse(ended_at) - Date.parse(created_at)) / 1000)
  const mean = seconds.reduce((sum, value) => sum + value, 0) / seconds.length
  return Math.ceil((position * mean) / capacity)
}
