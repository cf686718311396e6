// Validates every response of a server against its own OpenAPI document: an undocumented status, field or type fails the test.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface Operation {
  readonly operationId: string
  /** Those at the root of the host have their own. */
  readonly servers?: readonly object[]
  readonly responses: Readonly<Record<string, Response>>
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

const basePath = '/api/v1'

/** The path of an operation on its host: below the base path, or at the root. */
export const pathOnHost = (path: string, { servers }: { readonly servers?: readonly object[] | undefined } = {}): string =>
  servers === undefined ? `${basePath}${path}` : path

const methods = ['get', 'post', 'put', 'patch', 'delete']
/** For responses outside of operations: the error envelope must be valid all the same. */
const apart = new Set([`${basePath}/mcp`, `${basePath}/mcp/sse`, `${basePath}/mcp/server-card`, `${basePath}/sandbox/terminal`])

/** Clients must accept new fields, so the document allows them; a test must not, or no field would have to be documented. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([key, part]) => [key, ['example', 'examples'].includes(key) ? part : closed(part)])
  const isOpen = 'properties' in value && 'type' in value && !('additionalProperties' in value)
  return { ...Object.fromEntries(parts), ...(isOpen ? { additionalProperties: false } : {}) }
}

const pointerPart = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1')

export const createChecker = (document: Document) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ;(addFormats as unknown as (instance: Ajv2020) => void)(ajv)
  ajv.addSchema(closed(document) as object, 'api')
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  const patterns = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${pathOnHost(path, Object.values(operations)[0]).replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }))

  const validate = (pointer: string, body: unknown): string | null => {
    const check = validatorOf(pointer)
    return check(body) ? null : ajv.errorsText(check.errors, { dataVar: 'body' })
  }
  const asEnvelope = (body: unknown) => validate('/components/schemas/Error', body)

  /** What is wrong with an answer, or null. */
  return (method: string, url: string, status: number, body: unknown): string | null => {
    const path = url.split('?')[0] as string
    const matching = patterns.filter(({ pattern }) => pattern.test(path))
    const isElsewhere = !path.startsWith(`${basePath}/`) && matching.length === 0
    if (isElsewhere || apart.has(path)) return status >= 400 && !apart.has(path) ? asEnvelope(body) : null
    const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase()
    const fixed = matching.filter((candidate) => !candidate.path.includes('{'))
    const candidates = fixed.length > 0 ? fixed : matching
    const known = candidates.find((candidate) => document.paths[candidate.path]?.[verb] !== undefined) ?? candidates[0]
    const operation = known === undefined ? undefined : document.paths[known.path]?.[verb]
    if (operation === undefined || known === undefined) {
      if (status === 204 && verb === 'options') return null
      const expected = known !== undefined && methods.includes(verb) ? [405] : [404, 405]
      const early = [400, 401, 413, 415, 429, 431, 503]
      return [...expected, ...early].includes(status) ? asEnvelope(body) : `${status} for ${method} on what is no operation`
    }
    const own = operation.responses[String(status)]
    if (own === undefined) return `${status} is not documented for ${operation.operationId}`
    const shared = own.$ref?.split('/').at(-1)
    const response = shared === undefined ? own : document.components.responses[shared]
    if (method === 'HEAD') return null
    const type = response?.content === undefined ? undefined : Object.keys(response.content)[0]
    if (type === undefined) return body === undefined ? null : 'a body where none is documented'
    const pointer =
      shared === undefined
        ? `/paths/${pointerPart(known.path)}/${verb}/responses/${status}`
        : `/components/responses/${pointerPart(shared)}`
    return validate(`${pointer}/content/${pointerPart(type)}/schema`, body)
  }
}

export type Checker = ReturnType<typeof createChecker>

const checkers = new Map<string, Promise<Checker>>()

/** The checker of the server at this address. */
export const checkerOf = (root: string): Promise<Checker> => {
  const known = checkers.get(root)
  if (known !== undefined) return known
  const made = fetch(`${root}/openapi.json`).then(async (response) => createChecker((await response.json()) as Document))
  checkers.set(root, made)
  made.catch(() => checkers.delete(root))
  return made
}
