// Creates the MCP server for one request, or for one event stream: tools, resources and a prompt on top of the features. Knows nothing of HTTP.

import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import type { Caller } from '../accounts/caller.ts'
import type { Features } from '../features.ts'
import type { Log } from '../log.ts'
import { version } from '../version.ts'
import { listedSchema } from './listed-schema.ts'
import { sendPlainErrors } from './plain-errors.ts'
import { openProgress } from './progress.ts'
import { addPrompts, promptName } from './prompts.ts'
import { addResources } from './resources.ts'
import { failure, parseArguments, success } from './result.ts'
import type { NamedTool } from './tool.ts'

/** The request that a call belongs to. */
export interface Exchange {
  readonly requestId: string
  /** Throws unauthorized for an invalid credential. */
  readonly caller: () => Caller
  /** The tool that the request was counted as. */
  readonly tool: string | null
  /** Aborted when the connection was closed before all of the answer was sent. The SDK's signal where there is none. */
  readonly disconnected?: AbortSignal
  /** Whether closing the connection cancels the call, as in the stateless revision. */
  readonly closingCancels: boolean
  /** Called with each call of a tool. */
  readonly onRun?: (call: Promise<unknown>) => void
}

const instructionsFor = (
  requiresPlan: boolean,
) => `Incident Lab hands out real, isolated, broken systems of several containers and proves repairs from outside.

1. start_drill starts one and returns a session_id and the ticket. Without a course_id it is scenario-01; list_courses lists all.
2. exec_in_sandbox runs shell commands as root in any of its containers. Look before you change: logs, processes, configuration.
   start_command, read_output and stop_command are for what takes long or prints much, restart_container for a container that has
   stopped, get_hint for when you are stuck, drill_status and extend_drill for the time that is left.
3. grade_drill takes seven steps: nothing removed, service back, root cause gone, data kept, safeguards kept, survives a restart,
   stable under load. A step says what was observed, never what to do. You may grade again after further work.
4. stop_drill removes the sandbox. Always stop what you started; an unattended one expires.

Keep the session_id, and keep it private: whoever holds it may act in the sandbox. ${requiresPlan ? 'A start needs an account with a plan or credits' : 'No credential is needed'}. To act for an account,
send a personal access token as Authorization: Bearer, or as api_token; drill_status then finds a session_id that was lost. A failed
call says why and what helps.`

const listsLast = { ttlMs: 300_000, cacheScope: 'public' } as const

export const createServers = (tools: readonly NamedTool[], features: Features, log: Log) => {
  const prepared = tools.map(({ name, tool }) => {
    const { title, description, annotations } = tool
    const schemas = {
      inputSchema: listedSchema(tool.input),
      ...(tool.textOnly === true ? {} : { outputSchema: listedSchema(tool.output) }),
    }
    return { name, tool, listing: { title, description, annotations, ...schemas } }
  })
  const known = { Tool: tools.map(({ name }) => name), Prompt: [promptName] }
  const underWay = new Set<Promise<unknown>>()

  const run = async ({ name, tool }: NamedTool, given: unknown, context: ServerContext, exchange: Exchange) => {
    const progress = openProgress(context, { total: tool.steps ?? 1 })
    let caller: Caller | null = null
    try {
      if (name !== exchange.tool) throw new Error(`${name} was called by a request that was counted as ${exchange.tool}`)
      const args = parseArguments(tool.input, given)
      caller = exchange.caller() // also where the tool needs none: a credential that was given is checked
      const output = await tool.run(features, args, {
        caller,
        progress: progress.say,
        disconnected: exchange.disconnected ?? context.mcpReq.signal,
        closingCancels: exchange.closingCancels,
      })
      return success(tool, output)
    } catch (error) {
      return failure(await features.ownAccount.explain(caller, error), log, { tool: name, requestId: exchange.requestId })
    } finally {
      progress.close()
    }
  }

  return {
    /** `exchangeOf` is asked at each call of a tool for the request that it belongs to; `protocolVersions` are those of the endpoint. */
    create: (exchangeOf: () => Exchange, protocolVersions: readonly string[]): McpServer => {
      const server = new McpServer(
        { name: 'incident-lab', title: 'Incident Lab', version },
        {
          instructions: instructionsFor(features.requiresPlan),
          supportedProtocolVersions: [...protocolVersions],
          capabilities: { tools: { listChanged: false }, resources: { listChanged: false }, prompts: { listChanged: false } },
          cacheHints: {
            'server/discover': listsLast,
            'tools/list': listsLast,
            'prompts/list': listsLast,
            'resources/list': listsLast,
            'resources/templates/list': listsLast,
            'resources/read': listsLast,
          },
        },
      )
      for (const { name, tool, listing } of prepared) {
        server.registerTool(name, listing, (given, context) => {
          const exchange = exchangeOf()
          const work = run({ name, tool }, given, context, exchange)
          underWay.add(work)
          exchange.onRun?.(work)
          return work.finally(() => underWay.delete(work))
        })
      }
      sendPlainErrors(server, log, known)
      addResources(server, features.catalog)
      addPrompts(server, features.catalog)
      return server
    },

    /** Resolves when no tool runs any more, including those of disconnected clients. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
