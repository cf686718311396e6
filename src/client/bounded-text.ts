// Reads a response as text, up to so many bytes: what it holds may come from a sandbox.

import { LabError } from '../errors.ts'

/** Throws payload_too_large when there is more. */
export const readBounded = async (response: Response, mostBytes: number): Promise<string> => {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > mostBytes) {
      await reader.cancel()
      throw new LabError('payload_too_large', `it has more than ${Math.floor(mostBytes / 2 ** 20)} MiB`, { hint: 'download it instead' })
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}
