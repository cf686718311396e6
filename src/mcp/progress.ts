// Progress notifications of one tool call. Each step is told once. Between steps the value rises by ever smaller parts of one, because
// clients reset their timeout at every notification, and a value must be higher than the one before.

import type { ServerContext } from '@modelcontextprotocol/server'

const repeatMs = 10_000

export interface ProgressOptions {
  /** How many steps the call has; one that tells of none is a step itself. */
  readonly total: number
  readonly everyMs?: number
}

export const openProgress = ({ mcpReq }: Pick<ServerContext, 'mcpReq'>, { total, everyMs = repeatMs }: ProgressOptions) => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return { say: () => undefined, close: () => undefined }
  const said = new Set<string>()
  let progress = 0
  const send = (step?: string) => {
    const params = { progressToken, progress, total, ...(step === undefined ? {} : { message: step }) }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined) // the client has disconnected
  }
  /** Half of what is left of the current step. */
  const rise = () => {
    progress += (Math.min(Math.floor(progress) + 1, total) - progress) / 2
    send()
  }
  const timer = setInterval(rise, everyMs)
  return {
    say: (step: string, number = said.size + 1) => {
      if (said.has(step) || number <= progress || number > total) return
      said.add(step)
      progress = number
      send(step)
    },
    close: () => clearInterval(timer),
  }
}
