// Finds where a UTF-8 text can be cut without splitting a character.

const mostContinuations = 3
const continues = (byte: number) => (byte & 0xc0) === 0x80
const lengthOf = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1)

/** The length without an incomplete character at the end. Invalid bytes stay. */
export const completeLength = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(mostContinuations, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number
    if (continues(byte)) continue
    return lengthOf(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** How many bytes at the beginning belong to a character that was cut. Invalid bytes stay. */
export const brokenStart = (bytes: Buffer): number => {
  let length = 0
  while (length < bytes.length && continues(bytes[length] as number)) length += 1
  return length > mostContinuations ? 0 : length
}
