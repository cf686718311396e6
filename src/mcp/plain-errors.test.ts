import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { plain, plainResponse } from './plain-errors.ts'

const failed = (code: number, message: string, data?: unknown) =>
  ({ jsonrpc: '2.0', id: 1, error: { code, message, ...(data === undefined ? {} : { data }) } }) as JSONRPCMessage

const messageOfSchema = (value: unknown): string => {
  const shape = z.object({
    params: z.strictObject({ uri: z.string(), name: z.string().max(3), arguments: z.record(z.string(), z.unknown()) }),
  })
  return shape.safeParse(value).error?.message ?? ''
}

it('what a schema found is told by field, as invalid params', () => {
  const message = messageOfSchema({ params: { name: 'long', arguments: null, other: 1 } })
  for (const text of [message, `Invalid tools/call request: ${message}`]) {
    expect(plain(failed(-32603, text))).toEqual(
      failed(
        -32602,
        'invalid request: params.uri: is required; params.name: must have at most 3 characters; params.arguments: must be an object; ' +
          'params.other: is not a known field',
      ),
    )
  }
})

it('what an exception said is kept back; other messages stay, in plain words and short', () => {
  expect(plain(failed(-32603, 'completer is not a function'))).toEqual(failed(-32603, 'internal error'))
  expect(plain(failed(-32602, 'Tool [x] not found'))).toEqual(failed(-32602, 'Tool [x] not found'))
  const issue = 'version: Invalid input: expected string, received null'
  expect(plain(failed(-32602, issue, { problem: issue }))).toEqual(
    failed(-32602, 'version: must be a string', { problem: 'version: must be a string' }),
  )
  expect(plain(failed(-32022, 'v'.repeat(5_000)))).toMatchObject({ error: { message: expect.stringMatching(/^v{999}…$/) } })
  const result = { jsonrpc: '2.0', id: 1, result: { text: 'Invalid input: expected string, received null' } } as JSONRPCMessage
  expect(plain(result)).toBe(result)
})

it('fields of _meta are named as the protocol names them', () => {
  const told = (text: string) => (plain(failed(-32602, text)) as { error: { message: string } }).error.message
  const [version, capabilities] = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']
  const missing = 'but the request is missing the required per-request envelope key(s): '
  expect(told(`${missing}_meta`)).toBe(`but params._meta is missing, which must have ${version} and ${capabilities}`)
  expect(told(`${missing}${version}, ${capabilities}`)).toBe(`but params._meta lacks ${version}, ${capabilities}`)
  expect(told(`Invalid _meta envelope for protocol revision 2026-07-28: ${capabilities}: missing`)).toBe(
    `Invalid params._meta for protocol revision 2026-07-28: ${capabilities}: missing`,
  )
  expect(told('the body envelope names protocol version 1')).toBe('params._meta names protocol version 1')
})

it('an unknown tool or prompt is told with near names, or where they are listed, however long it is', () => {
  const known = { Tool: ['start_drill', 'stop_drill'], Prompt: ['resolve_incident'] }
  const told = (text: string) => (plain(failed(-32602, text), known) as { error: { message: string } }).error.message
  expect(told('Tool nope not found')).toBe('Tool nope not found: tools/list lists them')
  expect(told('Tool start_dril not found')).toBe('Tool start_dril not found; did you mean `start_drill`? tools/list lists them')
  expect(told('Prompt x not found')).toBe('Prompt x not found: prompts/list lists them')
  expect(told(`Tool ${'x'.repeat(1_000_000)} not found`)).toBe(`Tool ${'x'.repeat(100)}… not found: tools/list lists them`)
})

it('the same for responses, whose status and headers stay', async () => {
  const { jsonrpc, error } = failed(-32603, 'x is undefined') as { jsonrpc: string; error: object }
  const response = await plainResponse(Response.json({ jsonrpc, error, id: null }, { status: 500, headers: { 'x-kept': 'yes' } }))
  expect([response.status, response.headers.get('x-kept')]).toEqual([500, 'yes'])
  expect(await response.json()).toEqual({ jsonrpc, error: { code: -32603, message: 'internal error' }, id: null })
})
