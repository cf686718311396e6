// The word that was probably meant by a misspelt one.

/** How many letters were left out, added, exchanged or swapped with their neighbour (optimal string alignment). */
const editDistance = (one: string, other: string): number => {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row += 1) {
    rows[row] = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const least = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + differs)
      rows[row]?.push(isSwap ? Math.min(least, at(row - 2, column - 2) + 1) : least)
    }
  }
  return at(one.length, other.length)
}

const mostEdits = 2

/** Short for a known word: `timeout` for `timeout_ms`. */
const isBeginning = (word: string, candidate: string) => word.length > 2 && candidate.startsWith(word)

/** Nearest first: at most two edits, and half of the word has to be right, or the end was left out. */
const similarWords = (word: string, known: readonly string[]) =>
  known
    .filter((candidate) => word.length <= candidate.length + mostEdits) // a word of a client may be very long
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(
      ({ candidate, distance }) =>
        isBeginning(word, candidate) || (distance <= mostEdits && 2 * distance <= Math.max(word.length, candidate.length)),
    )
    .sort((one, other) => one.distance - other.distance)

/** Undefined when none is near. */
export const closestWord = (word: string, known: readonly string[]): string | undefined => similarWords(word, known)[0]?.candidate

/** The nearest ones, where several are equally near. */
export const closestWords = (word: string, known: readonly string[], most = 3): string[] => {
  const near = similarWords(word, known)
  return near
    .filter(({ distance }) => distance === near[0]?.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** What to add to a message about an unknown word; empty when none is near. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const near = closestWord(word, known)
  return near === undefined ? '' : `; did you mean \`${near}\`?`
}
