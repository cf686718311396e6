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
  /** The account of the bearer token, else of the argument, else anonymous. Throws unauthorized. */
  readonly caller: () => Caller
  /** Sends a progress notification. */
  readonly progress: (message: string) => void
  /** Aborted when the client has cancelled the call. */
  readonly withdrawn: AbortSignal
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  /** The rate class of a call. */
  readonly rate: RateClass
  readonly input: Input
  readonly output: Output
  run(features: Features, args: z.output<Input>, call: Call): Promise<z.input<Output>>
}

/** Every file below tools/ exports one as `tool`. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool => tool

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

export const apiToken = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe(
    'A personal access token, to act for an account. The header Authorization: Bearer is preferred: it keeps the token out of prompts.',
  )
