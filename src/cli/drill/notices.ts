// The notices of the status bar, one for each topic. The topic that was opened last is shown; what it covers comes back when it is over,
// so that a short notice never replaces one that lasts longer. What the server says by itself is shown when nothing else is.

export interface Notices {
  /** Undefined ends the topic. An update stays where it is. */
  readonly show: (topic: string, text: string | undefined, milliseconds?: number) => void
  readonly current: () => string | undefined
  readonly close: () => void
}

const usualMs = 8_000
/** The topic that covers no other. */
export const lowest = 'warning'

export const createNotices = (changed: () => void): Notices => {
  const open = new Map<string, { readonly text: string; readonly timer: NodeJS.Timeout }>()
  const end = (topic: string) => {
    clearTimeout(open.get(topic)?.timer)
    open.delete(topic)
    changed()
  }
  return {
    show: (topic, text, milliseconds = usualMs) => {
      if (text === undefined) return end(topic)
      clearTimeout(open.get(topic)?.timer)
      open.set(topic, { text, timer: setTimeout(() => end(topic), milliseconds).unref() })
      changed()
    },
    current: () => ([...open].findLast(([topic]) => topic !== lowest) ?? [...open][0])?.[1].text,
    close: () => {
      for (const { timer } of open.values()) clearTimeout(timer)
      open.clear()
    },
  }
}
