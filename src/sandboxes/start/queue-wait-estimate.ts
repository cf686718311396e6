// Estimates how long a queued start has to wait, from the lifetimes of recent sandboxes.

const leastEnds = 3

/** Seconds until the given position in the queue gets a slot; null while too few sandboxes have ended for an estimate. */
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
