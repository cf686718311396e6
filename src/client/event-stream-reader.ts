// Reads server-sent events from the body of a response, in browsers and in Node alike. Within bounds: a server is not trusted to end a line.

export interface ReceivedEvent {
  readonly event: string
  readonly data: string
}

const longestEvent = 4 * 2 ** 20

const parse = (block: string): ReceivedEvent | null => {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return data.length === 0 ? null : { event, data: data.join('\n') }
}

/** `received` is called for everything that arrives, heartbeats included. Ends with the stream; throws when it breaks off. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  received: () => void = () => undefined,
): AsyncGenerator<ReceivedEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let held = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      received()
      const blocks = (held + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      held = blocks.pop() ?? ''
      if (held.length > longestEvent) throw new Error('an event is too large')
      for (const block of blocks) {
        const event = parse(block)
        if (event !== null) yield event
      }
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
