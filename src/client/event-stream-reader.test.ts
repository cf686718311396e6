import { describe, expect, it } from 'vitest'
import { type ReceivedEvent, readEventStream } from './event-stream-reader.ts'

const streamOf = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })

const read = async (...chunks: string[]) => {
  const events: ReceivedEvent[] = []
  for await (const event of readEventStream(streamOf(...chunks))) events.push(event)
  return events
}

describe('an event stream', () => {
  it('is read event by event, however it was cut', async () => {
    const text = 'retry: 2000\n\n: keep-alive\n\nevent: step\ndata: {"a":"ü"}\n\nid: end\nevent: end\ndata: {}\n\n'
    const expected = [
      { event: 'step', data: '{"a":"ü"}' },
      { event: 'end', data: '{}' },
    ]
    expect(await read(text)).toEqual(expected)
    expect(await read(...text)).toEqual(expected)
  })

  it('has other line ends, events without a name and data in several lines too', async () => {
    expect(await read('data: one\r\ndata:two\r\n\r\nevent: x\r\ndata: a: b\r\n\r\n')).toEqual([
      { event: 'message', data: 'one\ntwo' },
      { event: 'x', data: 'a: b' },
    ])
  })

  it('drops an event that does not end, and refuses one without an end to come', async () => {
    expect(await read('event: step\ndata: {}')).toEqual([])
    await expect(read('data: ', 'x'.repeat(5 * 2 ** 20))).rejects.toThrow('too large')
  })
})
