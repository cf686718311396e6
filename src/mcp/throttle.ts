// Counts a call before it is served. What a call is shows in its body only, so the body is read here, and handed on whole.

import type { IncomingMessage } from 'node:http'
import type { Accounts } from '../accounts/accounts.ts'
import { bearerIn } from '../accounts/token-format.ts'
import type { RateClass } from '../limits.ts'
import type { Allowance, Principal, RateLimit } from '../rate-limit.ts'
import type { NamedTool } from './tool.ts'

export interface Peeked {
  /** Stands in for the request, with its body still to be read. */
  readonly request: IncomingMessage
  /** The JSON-RPC message, when it is one. */
  readonly message: { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown } | null
}

async function* replay(chunks: readonly Buffer[], rest: AsyncIterator<Buffer>, ended: boolean): AsyncGenerator<Buffer> {
  yield* chunks
  for (let next = ended ? null : await rest.next(); next !== null && next.done !== true; next = await rest.next()) yield next.value
}

const parse = (bytes: Buffer): Peeked['message'] => {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Reads the body up to a limit. What is larger is left to whoever refuses it. */
export const peek = async (request: IncomingMessage, mostBytes: number): Promise<Peeked> => {
  const chunks: Buffer[] = []
  const body = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let size = 0
  let ended = false
  while (size <= mostBytes) {
    const next = await body.next()
    if (next.done === true) {
      ended = true
      break
    }
    chunks.push(next.value)
    size += next.value.length
  }
  const stand: unknown = new Proxy(request, {
    get: (target, property) => {
      if (property === Symbol.asyncIterator) return () => replay(chunks, body, ended)
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { request: stand as IncomingMessage, message: ended ? parse(Buffer.concat(chunks)) : null }
}

interface ToolCall {
  readonly name?: unknown
  readonly arguments?: { readonly api_token?: unknown } | null
}

const toolCallIn = (message: Peeked['message']): ToolCall | null =>
  message?.method === 'tools/call' && typeof message.params === 'object' ? (message.params as ToolCall | null) : null

export const createThrottle = (limit: RateLimit | null, accounts: Accounts, tools: readonly NamedTool[]) => {
  const rates = new Map(tools.map(({ name, tool }) => [name, tool.rate]))

  /** Null where nothing is limited. */
  return async (message: Peeked['message'], authorization: string | undefined, address: string): Promise<Allowance | null> => {
    if (limit === null) return null
    const call = toolCallIn(message)
    const rateClass: RateClass = call === null ? 'read' : (rates.get(String(call.name)) ?? 'read')
    const argument = call?.arguments?.api_token
    const token = authorization === undefined ? argument : bearerIn(authorization)
    const somebody: Principal = { kind: 'anonymous', address }
    if (token === undefined && authorization === undefined) return limit.take(somebody, rateClass)
    const account = typeof token === 'string' ? await accounts.authenticate(token).catch(() => null) : null
    return account === null ? limit.take(somebody, 'auth') : limit.take(account, rateClass)
  }
}
