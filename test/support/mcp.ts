// Agents for tests: clients of the MCP SDK, by each transport and revision that is served, and what they do in a drill.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'vitest'

export const ways = [
  { way: 'the 2026-07-28 revision', revision: '2026-07-28', mode: { pin: '2026-07-28' }, path: '/api/v1/mcp' },
  { way: 'the 2025-11-25 revision', revision: '2025-11-25', mode: 'legacy', path: '/api/v1/mcp' },
  { way: 'event streams', revision: '2025-11-25', mode: 'legacy', path: '/api/v1/mcp/sse' },
] as const

export type Way = (typeof ways)[number]

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** What a tool returned; where it is also structured, it must be the same. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export const outputOf = ({ content, structuredContent }: ToolResult): any => {
  const output = JSON.parse(content[0]?.text ?? 'null')
  if (structuredContent !== undefined) expect(structuredContent).toEqual(output)
  return output
}

/** On a machine that is too busy to judge by, grading says so, and is asked again as it advises; that costs nothing. */
export const grade = async (ask: () => Promise<ToolResult>) => {
  let result = await ask()
  for (let more = 0; more < 2 && outputOf(result).error?.code === 'grading_failed'; more += 1) result = await ask()
  const output = outputOf(result)
  expect(result.isError ?? false, JSON.stringify(output)).toBe(false)
  return output
}

export interface News {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export const connectAgent = async (url: string, { mode, path }: Pick<Way, 'mode' | 'path'>, token?: string) => {
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { versionNegotiation: { mode } })
  const options = token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }
  const address = new URL(`${url}${path}`)
  await client.connect(
    path.endsWith('/sse') ? new SSEClientTransport(address, options) : new StreamableHTTPClientTransport(address, options),
  )

  const attempt = (name: string, args: Record<string, unknown> = {}, news: News[] = []) =>
    client.callTool({ name, arguments: args }, { onprogress: (progress) => news.push(progress), resetTimeoutOnProgress: true })

  return {
    client,
    close: () => client.close(),
    /** The error of a call that must fail. */
    fails: async (name: string, args: Record<string, unknown> = {}) => {
      const result = (await attempt(name, args)) as ToolResult
      expect(result.isError, JSON.stringify(result.content)).toBe(true)
      return outputOf(result).error
    },
    call: async (name: string, args: Record<string, unknown> = {}, news: News[] = []) => {
      const result = (await attempt(name, args, news)) as ToolResult
      expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
      return outputOf(result)
    },
    result: (name: string, args: Record<string, unknown> = {}, news: News[] = []) => attempt(name, args, news) as Promise<ToolResult>,
  }
}

export type Agent = Awaited<ReturnType<typeof connectAgent>>
