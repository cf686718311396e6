// Progress notifications of one call. While nothing new is known the last word is repeated, so that a client that
// restarts its patience at every notification keeps waiting.

import type { ServerContext } from '@modelcontextprotocol/server'

const repeatMs = 10_000

export const openProgress = ({ mcpReq }: ServerContext) => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return { say: () => undefined, close: () => undefined }
  let progress = 0
  let message = 'working'
  const send = () => {
    progress += 1
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined) // the client has left
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
