/** A frame as a program could send it that replaced one of ours: its length need not be true. */
export const forgedFrame = (letter: string, id: number, payload: Buffer = Buffer.alloc(0), length = payload.length): Buffer => {
  const header = Buffer.alloc(9)
  header.write(letter, 'latin1')
  header.writeUInt32BE(id, 1)
  header.writeUInt32BE(length, 5)
  return Buffer.concat([header, payload])
}
