// Who calls, what is called, and whether they may just now. Looks at the very message that is executed afterwards.

import { z } from 'zod'
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

/** Whose request it is as far as its header tells; a stranger's where that is wrong or cannot be told. */
export interface Asker {
  readonly who: Caller
  readonly hasCredential: boolean
  /** Why it is not known whose credential that is. */
  readonly error?: unknown
  /** Where a guess was counted already. */
  readonly allowance?: Allowance | null
}

/** A request of the caller's reads that a body takes up while it is read. */
export interface Hold {
  readonly allowance: Allowance | null
  readonly release: () => void
}

/** As much of a call as is looked at here; what is wrong with it, the tool says. */
const ToolCall = z.object({
  name: z.string().optional().catch(undefined),
  arguments: z.object({ api_token: z.unknown() }).partial().optional().catch(undefined),
})

const toolCallIn = ({ method, params }: Message) => (method === 'tools/call' ? ToolCall.safeParse(params).data : undefined)

export interface ThrottleDeps {
  readonly rateLimit: RateLimit | null
  readonly tokens: TokenGate
  readonly tools: readonly NamedTool[]
}

export const createThrottle = ({ rateLimit, tokens, tools }: ThrottleDeps) => {
  const rates = new Map(tools.map(({ name, tool }) => [name, tool.rate]))
  const take = (who: Caller, rateClass: RateClass) => rateLimit?.take(who, rateClass) ?? null

  const identify = async (look: () => Promise<Identified>, stranger: Caller): Promise<Asker> => {
    try {
      const identified = await look()
      if (identified.account !== null) return { who: identified.account, hasCredential: true }
      return { who: stranger, hasCredential: true, error: identified.error, allowance: identified.allowance }
    } catch (error) {
      return { who: stranger, hasCredential: true, error } // the store is away: the tool says so
    }
  }

  return {
    /** By what is known before the body is read. */
    arrive: async (authorization: string | undefined, address: string): Promise<Asker> => {
      const stranger: Caller = { kind: 'anonymous', address }
      if (authorization === undefined) return { who: stranger, hasCredential: false }
      return identify(() => tokens.byHeader(authorization, address), stranger)
    },

    /** For a body that costs more to read than a refusal: who has no read left gets the refusal at once. */
    hold: ({ who, allowance: guess }: Asker): Hold => {
      if (guess?.allowed === false) return { allowance: guess, release: () => undefined }
      return { allowance: take(who, 'read'), release: () => rateLimit?.giveBack(who, 'read') }
    },

    admit: async (message: Message, arrived: Asker, address: string): Promise<Admission> => {
      const call = toolCallIn(message)
      const tool = call?.name !== undefined && rates.has(call.name) ? call.name : null
      const token = call?.arguments?.api_token
      const isNamed = !arrived.hasCredential && token !== undefined
      const asker = isNamed ? await identify(() => tokens.byToken(String(token), address), arrived.who) : arrived
      return {
        allowance: asker.allowance === undefined ? take(asker.who, rates.get(tool ?? '') ?? 'read') : asker.allowance,
        tool,
        caller: () => {
          if ('error' in asker) throw asker.error
          return asker.who
        },
      }
    },
  }
}
