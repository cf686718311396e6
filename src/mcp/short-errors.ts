// Truncates the error messages of the MCP SDK, which list every invalid field, so that a short request cannot cause a long response.

import { isJSONRPCErrorResponse, type JSONRPCMessage, type McpServer } from '@modelcontextprotocol/server'

const longestMessage = 1_000

export const shortened = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!isJSONRPCErrorResponse(message) || message.error.message.length <= longestMessage) return message
  return { ...message, error: { ...message.error, message: `${message.error.message.slice(0, longestMessage - 1)}…` } }
}

/** Both revisions connect the inner server to a transport of their own, once per request. */
export const shortenErrors = ({ server }: McpServer): void => {
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(shortened(message), options)
    return connect(transport)
  }
}
