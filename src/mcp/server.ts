// Creates the MCP server for one request: tools, resources and a prompt on top of the features. Knows nothing of HTTP.

import { McpServer, type ServerContext, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Caller } from '../accounts/caller.ts'
import type { Features } from '../features.ts'
import type { Log } from '../log.ts'
import { version } from '../version.ts'
import { openProgress } from './progress.ts'
import { addPrompts } from './prompts.ts'
import { addResources } from './resources.ts'
import { failure, parseArguments, success } from './result.ts'
import { shortenErrors } from './short-errors.ts'
import type { NamedTool } from './tool.ts'

/** The request that a server is created for. */
export interface Exchange {
  readonly requestId: string
  /** Throws unauthorized for an invalid credential. */
  readonly caller: () => Caller
  /** The tool that the request was counted as. */
  readonly tool: string | null
  /** True where closing the connection cancels the call, as in the stateless revision. */
  readonly closingWithdraws: boolean
}

const instructions = `Incident Lab hands out real, isolated, broken systems of several containers and proves repairs from outside.

1. start_drill starts one and returns a session_id and the ticket. Without a course_id it is scenario-01; lab://courses lists all.
2. exec_in_sandbox runs shell commands as root in any of its containers. Look before you change: logs, processes, configuration.
3. grade_drill takes seven steps: nothing removed, service back, root cause gone, data kept, safeguards kept, survives a restart,
   stable under load. A step says what was observed, never what to do. You may grade again after further work.
4. stop_drill removes the sandbox. Always stop what you started; an unattended one expires.

Keep the session_id private: whoever holds it may act in the sandbox. No credential is needed. To act for an account, send a
personal access token as Authorization: Bearer, or as api_token where a tool takes it. A failed call says why and what helps.`

const listsLast = { ttlMs: 300_000, cacheScope: 'public' } as const

const neverAborted = new AbortController().signal

/** The JSON Schema of a tool for listings, generated once. Arguments are validated by `parseArguments`, which has its own errors. */
const listed = (shape: z.ZodObject): StandardSchemaWithJSON => {
  const { jsonSchema, ...standard } = shape.extend({})['~standard']
  const once = (make: typeof jsonSchema.input): typeof jsonSchema.input => {
    let made: ReturnType<typeof make> | undefined
    return (options) => {
      made ??= make(options)
      return made
    }
  }
  return {
    '~standard': {
      ...standard,
      validate: (value) => ({ value }),
      jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) },
    },
  }
}

export const createServers = (tools: readonly NamedTool[], features: Features, log: Log) => {
  const prepared = tools.map(({ name, tool }) => ({ name, tool, inputSchema: listed(tool.input), outputSchema: listed(tool.output) }))
  const underWay = new Set<Promise<unknown>>()

  const run = async ({ name, tool }: NamedTool, given: unknown, context: ServerContext, exchange: Exchange) => {
    const progress = openProgress(context)
    try {
      if (name !== exchange.tool) throw new Error(`${name} was called by a request that was counted as ${exchange.tool}`)
      const output = await tool.run(features, parseArguments(tool.input, given), {
        caller: exchange.caller,
        progress: progress.say,
        withdrawn: exchange.closingWithdraws ? context.mcpReq.signal : neverAborted,
      })
      return success(tool.output, output)
    } catch (error) {
      return failure(error, log, { tool: name, requestId: exchange.requestId })
    } finally {
      progress.close()
    }
  }

  return {
    create: (exchange: Exchange): McpServer => {
      const server = new McpServer(
        { name: 'incident-lab', title: 'Incident Lab', version },
        {
          instructions,
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
      for (const { name, tool, inputSchema, outputSchema } of prepared) {
        const { title, description, annotations } = tool
        server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, (given, context) => {
          const work = run({ name, tool }, given, context, exchange)
          underWay.add(work)
          return work.finally(() => underWay.delete(work))
        })
      }
      shortenErrors(server)
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
