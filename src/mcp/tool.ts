// Defines an MCP tool: input schema, output schema, and a function that calls a feature. Knows neither HTTP nor JSON-RPC.
// A tool is one file below tools/; its name on the wire is the name of the file.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Caller } from '../accounts/caller.ts'
import type { RateClass } from '../configured-limits.ts'
import type { Features } from '../features.ts'

/** The context of a tool call. */
export interface Call {
  /** The account of the bearer token, else of the argument, else anonymous. A call with an invalid credential reaches no tool. */
  readonly caller: Caller
  /** Tells the client of a step, unless it was told before: the next one, or the one with this number. */
  readonly progress: (step: string, number?: number) => void
  /** Aborted when the connection was closed before all of the result was sent. */
  readonly disconnected: AbortSignal
  /** Whether a client that closes the connection cancels the call thereby. */
  readonly closingCancels: boolean
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  /** The rate class of a call: that of the REST operation that does the same. */
  readonly rate: RateClass
  /** The total of its progress. */
  readonly steps?: number
  readonly input: Input
  readonly output: Output
  /**
   * For outputs that may be long: sent as JSON text alone, without an output schema. A result with structured content has to repeat
   * it as text, because some clients show a model only the one and some only the other.
   */
  readonly textOnly?: boolean
  run(features: Features, args: z.output<Input>, call: Call): Promise<z.input<Output>>
}

const api_token = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe('A personal access token, to act for an account. Better: the header Authorization: Bearer.')

/** Every file below tools/ exports one as `tool`. Each takes an `api_token`, which authentication.ts has read before. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool => ({
  ...tool,
  input: tool.input.extend({ api_token }),
})

export interface NamedTool {
  readonly name: string
  readonly tool: Tool
}

const toolsFolder = join(import.meta.dirname, 'tools')

/** In the order of their names, so that a client sees the same list every time. */
export const loadTools = async (): Promise<NamedTool[]> => {
  const files = (await readdir(toolsFolder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort()
  return Promise.all(
    files.map(async (file) => ({
      name: file.slice(0, -'.ts'.length).replaceAll('-', '_'),
      tool: ((await import(pathToFileURL(join(toolsFolder, file)).href)) as { tool: Tool }).tool,
    })),
  )
}
