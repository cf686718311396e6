// Authentication and rate limits of MCP requests. It uses the parsed message that is executed afterwards.

import { z } from 'zod'
import type { Caller } from '../accounts/caller.ts'
import type { Identified, TokenGate } from '../accounts/token-gate.ts'
import type { RateClass } from '../configured-limits.ts'
import type { Allowance, RateLimit } from '../rate-limit.ts'
import type { Message } from './message.ts'
import type { NamedTool } from './tool.ts'

/** How a request stands with the rate limit of its class. */
export interface Count {
  readonly rateClass: RateClass
  /** Null where rate limits are off. */
  readonly allowance: Allowance | null
}

/** A request that passed the rate limit or not. */
export interface CountedRequest extends Count {
  /** The tool that it was counted for; null when it calls none. No other tool may run in this request. */
  readonly tool: string | null
  /** Whom the Authorization header names, and else the network. */
  readonly sender: Caller
  /** Throws unauthorized for an invalid credential. */
  readonly caller: () => Caller
}

/** The caller by the Authorization header; anonymous if that is invalid or cannot be checked. */
export interface Asker {
  readonly who: Caller
  readonly hasCredential: boolean
  /** Why the credential was not accepted. */
  readonly error?: unknown
  /** Set where a guessed token was counted already. */
  readonly allowance?: Allowance | null
}

/** One read of the caller's rate limit, reserved while a long body is being read. */
export interface Hold extends Count {
  readonly release: () => void
}

/** As much of a call as is looked at here; what is wrong with it, the tool says. */
const ToolCall = z.object({
  name: z.string().optional().catch(undefined),
  arguments: z.object({ api_token: z.unknown() }).partial().optional().catch(undefined),
})

const toolCallIn = ({ method, params }: Message) => (method === 'tools/call' ? ToolCall.safeParse(params).data : undefined)

export interface AuthenticationDeps {
  readonly rateLimit: RateLimit | null
  readonly tokens: TokenGate
  readonly tools: readonly NamedTool[]
}

export const createAuthentication = ({ rateLimit, tokens, tools }: AuthenticationDeps) => {
  const rates = new Map(tools.map(({ name, tool }) => [name, tool.rate]))
  const count = (who: Caller, rateClass: RateClass): Count => ({ rateClass, allowance: rateLimit?.take(who, rateClass) ?? null })

  const identify = async (lookUp: () => Promise<Identified>, stranger: Caller): Promise<Asker> => {
    try {
      const identified = await lookUp()
      if (identified.account !== null) return { who: identified.account, hasCredential: true }
      return { who: stranger, hasCredential: true, error: identified.error, allowance: identified.allowance }
    } catch (error) {
      return { who: stranger, hasCredential: true, error } // the store is unavailable: the tool reports it
    }
  }

  return {
    /** Identifies the caller before the body is read. */
    arrive: async (authorization: string | undefined, address: string): Promise<Asker> => {
      const stranger: Caller = { kind: 'anonymous', address }
      if (authorization === undefined) return { who: stranger, hasCredential: false }
      return identify(() => tokens.byHeader(authorization, address), stranger)
    },

    /** For long bodies: a caller whose rate limit is reached is refused before the body is read. */
    hold: ({ who, allowance: guess }: Asker): Hold => {
      if (guess?.allowed === false) return { rateClass: 'auth', allowance: guess, release: () => undefined }
      return { ...count(who, 'read'), release: () => rateLimit?.giveBack(who, 'read') }
    },

    admit: async (message: Message, arrived: Asker, address: string): Promise<CountedRequest> => {
      const call = toolCallIn(message)
      const tool = call?.name !== undefined && rates.has(call.name) ? call.name : null
      const token = call?.arguments?.api_token
      const isNamed = !arrived.hasCredential && token !== undefined
      const asker = isNamed ? await identify(() => tokens.byToken(String(token), address), arrived.who) : arrived
      return {
        ...(asker.allowance === undefined
          ? count(asker.who, rates.get(tool ?? '') ?? 'read')
          : ({ rateClass: 'auth', allowance: asker.allowance } as const)),
        tool,
        sender: arrived.who,
        caller: () => {
          if ('error' in asker) throw asker.error
          return asker.who
        },
      }
    },
  }
}

export type Authentication = ReturnType<typeof createAuthentication>
