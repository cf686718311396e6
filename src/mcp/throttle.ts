// Who calls, what is called, and whether they may just now. Looks at the very message that is executed afterwards.

import type { Caller } from '../accounts/caller.ts'
import type { Identified, TokenGate } from '../accounts/token-gate.ts'
import type { RateClass } from '../limits.ts'
import type { Allowance, RateLimit } from '../rate-limit.ts'
import type { Message } from './message.ts'
import type { NamedTool } from './tool.ts'

/** A request that was counted. */
export interface Admission {
  /** Null where nothing is limited. */
  readonly allowance: Allowance | null
  /** The tool that it was counted as; null when it calls none. No other may run for it. */
  readonly tool: string | null
  /** Throws what became of a wrong credential. */
  readonly caller: () => Caller
}

interface ToolCall {
  readonly name?: unknown
  readonly arguments?: { readonly api_token?: unknown } | null
}

const toolCallIn = ({ method, params }: Message): ToolCall | null =>
  method === 'tools/call' && typeof params === 'object' ? (params as ToolCall | null) : null

export interface ThrottleDeps {
  readonly rateLimit: RateLimit | null
  readonly tokens: TokenGate
  readonly tools: readonly NamedTool[]
}

export const createThrottle = ({ rateLimit, tokens, tools }: ThrottleDeps) => {
  const rates = new Map(tools.map(({ name, tool }) => [name, tool.rate]))

  /** Null without a credential. */
  const identify = async (call: ToolCall | null, authorization: string | undefined, address: string): Promise<Identified | null> => {
    if (authorization !== undefined) return tokens.byHeader(authorization, address)
    const argument = call?.arguments?.api_token
    return argument === undefined ? null : tokens.byToken(String(argument), address)
  }

  return async (message: Message, authorization: string | undefined, address: string): Promise<Admission> => {
    const call = toolCallIn(message)
    const tool = typeof call?.name === 'string' && rates.has(call.name) ? call.name : null
    const rateClass: RateClass = rates.get(tool ?? '') ?? 'read'
    const stranger: Caller = { kind: 'anonymous', address }
    const as = (caller: Caller): Admission => ({ allowance: rateLimit?.take(caller, rateClass) ?? null, tool, caller: () => caller })
    const refused = (error: unknown, allowance: Allowance | null): Admission => ({
      allowance,
      tool,
      caller: () => {
        throw error
      },
    })
    try {
      const identified = await identify(call, authorization, address)
      if (identified === null) return as(stranger)
      return identified.account === null ? refused(identified.error, identified.allowance) : as(identified.account)
    } catch (error) {
      return refused(error, rateLimit?.take(stranger, rateClass) ?? null) // the store is away: the tool says so
    }
  }
}
