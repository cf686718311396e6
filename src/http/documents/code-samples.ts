// Samples in TypeScript for every operation (`x-codeSamples`). Samples in curl and Python are made by the reference itself.

import { basePath } from '../../contract/api-version.ts'
import type { OperationObject } from './openapi-types.ts'

const addressOf = (base: string, path: string, { parameters = [] }: OperationObject): string => {
  const exampleOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.example
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(exampleOf(name) ?? name)))
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  const search = new URLSearchParams(Object.fromEntries(query.map(({ name, example }) => [name, String(example)]))).toString()
  return `${base}${filled}${search === '' ? '' : `?${search}`}`
}

const needsCredential = ({ security }: OperationObject) => !security.some((choice) => Object.keys(choice).length === 0)

const answersJson = ({ responses }: OperationObject) =>
  Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content?.['application/json'] !== undefined)

const overFetch = (address: string, method: string, operation: OperationObject): string => {
  const body = operation.requestBody?.content['application/json']?.example
  const headers = [
    ...(needsCredential(operation) ? [`Authorization: \`Bearer \${token}\``] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ]
  return [
    `const response = await fetch('${address}'${options.length === 0 ? ')' : ', {'}`,
    ...(options.length === 0 ? [] : [...options, '})']),
    'if (!response.ok) throw new Error((await response.json()).error.code)',
    answersJson(operation) ? 'const answer: unknown = await response.json()' : 'const answer: string = await response.text()',
  ].join('\n')
}

const overWebSocket = (address: string): string =>
  [
    `const socket = new WebSocket('${address.replace(/^http/, 'ws')}')`,
    "socket.binaryType = 'arraybuffer'",
    "socket.onopen = () => socket.send(JSON.stringify({ session_id: sessionId, token, container: 'ops', columns: 120, rows: 40 }))",
    'socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {',
    "  if (typeof data !== 'string') process.stdout.write(new Uint8Array(data))",
    "  else if (JSON.parse(data).ready) socket.send(new TextEncoder().encode('uptime\\r'))",
    '}',
  ].join('\n')

/** Adds the sample; `root` is the root URL of the host that was asked. */
export const withSample =
  (root: string) =>
  (operation: OperationObject, path: string, method: string): OperationObject => {
    const address = addressOf(operation.servers === undefined ? `${root}${basePath}` : root, path, operation)
    const source = operation.responses[101] === undefined ? overFetch(address, method, operation) : overWebSocket(address)
    return { ...operation, 'x-codeSamples': [{ lang: 'TypeScript', label: 'TypeScript', source }] }
  }
