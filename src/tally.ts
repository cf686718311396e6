// How many each has of something of which nobody may have more than so many at a time.

export const createTally = (most: number) => {
  const counts = new Map<string, number>()
  return {
    /** Whether there was room for one more. */
    enter: (owner: string): boolean => {
      const count = counts.get(owner) ?? 0
      if (count >= most) return false
      counts.set(owner, count + 1)
      return true
    },
    leave: (owner: string): void => {
      const count = (counts.get(owner) ?? 0) - 1
      if (count > 0) counts.set(owner, count)
      else counts.delete(owner)
    },
  }
}
