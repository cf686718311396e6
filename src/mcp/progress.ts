// Progress notifications of one tool call. The last message is repeated at intervals, because clients reset their timeout at every
// notification.

import type { ServerContext } from '@modelcontextprotocol/server'

const repeatMs = 10_000

export const openProgress = ({ mcpReq }: ServerContext) => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return { say: () => undefined, close: () => undefined }
  let progress = 0
  let message = 'working'
  const send = () => {
    progress += 1
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined) // the client has disconnected
  }
  const timer = setInterval(send, repeatMs)
  return {
    say: (news: string) => {
      message = news
      send()
    },
    close: () => clearInterval(timer),
  }
}
