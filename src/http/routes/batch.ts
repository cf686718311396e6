// Batch requests. Each item goes through the router, validation and rate limits with the credential of the batch.

import { createHash } from 'node:crypto'
import type { FastifyRequest, InjectOptions } from 'fastify'
import { toStored } from '../../accounts/stored-response.ts'
import { basePath } from '../../contract/api-version.ts'
import { type BatchItem, BatchRequest, BatchResponse } from '../../contract/batch.ts'
import { LabError, statusOf } from '../../errors.ts'
import { invalidField, invalidFields, type Problem } from '../../validation-messages.ts'
import type { App, Routes } from '../app.ts'
import { inBatch } from '../batch-scope.ts'
import { envelope } from '../error-responses.ts'
import { operation } from '../operation.ts'

type Answer = BatchResponse['responses'][number]

const startPath = '/sandbox/start'
/**
 * What has rules of its own; what is for browsers and counts for no account; and what a link shows, because the answer of a batch may be
 * kept, and would outlive the link.
 */
const closed = /^\/(?:batch|auth|mcp|visitor|labs\/access|shared)(?:\/|$)/
/** Streams of events, which do not end. */
const endless = /^\/sandbox\/[^/]+\/events\/?$/

/** The path of an item below the base URL, however it was written. */
const belowBase = (path: string): string => (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path)

/** The same without its query. */
const plainPath = (path: string): string => belowBase(path).split('?')[0] as string

/** Why a path is not allowed in a batch, or undefined. */
const problemOf = (path: string): string | undefined => {
  const plain = plainPath(path)
  if (!/^\/[A-Za-z0-9._~/-]*$/.test(plain) || plain.includes('//') || plain.split('/').some((part) => part === '.' || part === '..')) {
    return 'must be a path below the base URL, such as /courses'
  }
  if (/[^\x21-\x7e]|#/.test(path)) return 'must be a valid path'
  return closed.test(plain) || endless.test(plain) ? 'may not be part of a batch' : undefined
}

const isUndoable = ({ method, path }: BatchItem): boolean =>
  method === 'GET' || (method === 'POST' && plainPath(path).replace(/\/$/, '') === startPath)

const notUndoable = `only GET and POST ${startPath} may be in an atomic batch`

/** Throws invalid_request before anything runs. */
const check = ({ requests, mode }: BatchRequest, most: number): void => {
  if (requests.length > most) throw invalidField('requests', `must have at most ${most} items`)
  const problems = requests.flatMap((item, index): Problem[] => {
    const problem = problemOf(item.path)
    if (problem !== undefined) return [{ field: `requests.${index}.path`, problem }]
    return mode === 'atomic' && !isUndoable(item) ? [{ field: `requests.${index}`, problem: notUndoable }] : []
  })
  if (problems.length === 0) return
  const isForSequential = problems.some(({ problem }) => problem === notUndoable)
  throw invalidFields(problems, isForSequential ? { hint: 'send other writes in a sequential batch, or by themselves' } : {})
}

/** The idempotency key of an item, the same for every retry of the batch. */
const keyOf = (requestId: string, index: number): string => {
  const hex = createHash('sha256').update(`${requestId} ${index}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

const inherited = ['authorization', 'cookie', 'api-version', 'host', 'x-forwarded-for'] as const
/** The batch itself came from a page of this service, or else would not run. */
const ownPage = { 'sec-fetch-site': 'same-origin' }

const runItem = async (app: App, outer: FastifyRequest, item: BatchItem, key: string | undefined) => {
  const headers = Object.fromEntries(inherited.flatMap((name) => (outer.headers[name] === undefined ? [] : [[name, outer.headers[name]]])))
  const options: InjectOptions = {
    method: item.method,
    url: `${basePath}${belowBase(item.path)}`,
    remoteAddress: outer.socket.remoteAddress ?? '127.0.0.1',
    headers: { ...headers, ...ownPage, ...(key === undefined ? {} : { 'idempotency-key': key }) } as Record<string, string>,
    ...(item.body === undefined ? {} : { payload: item.body }),
  }
  const { statusCode: status, payload, headers: answered } = await app.inject(options)
  return { status, payload, isJson: String(answered['content-type']).includes('json') }
}

/** When the responses have reached this size, the remaining items are not run. */
const enoughBytes = 8 * 1024 ** 2

const tooMuch = (outer: FastifyRequest): Answer => {
  const error = new LabError('payload_too_large', 'the responses before this one reached the size limit of a batch, so it was not run', {
    hint: 'send it in another batch, or by itself',
  })
  return { status: statusOf.payload_too_large, body: envelope(error, outer.id) }
}

/** Runs items until the responses reach the limit. */
const createRunner = (app: App, outer: FastifyRequest) => {
  let answeredBytes = 0
  return async (item: BatchItem, key?: string): Promise<Answer> => {
    if (answeredBytes >= enoughBytes) return tooMuch(outer)
    const { status, payload, isJson } = await runItem(app, outer, item, key)
    answeredBytes += Buffer.byteLength(payload)
    return { status, body: payload === '' ? {} : isJson ? JSON.parse(payload) : payload }
  }
}

const undone = (outer: FastifyRequest, what: 'was undone' | 'was not run'): Answer => {
  const error = new LabError('batch_undone', `another request of this atomic batch failed, so this one ${what}`, {
    hint: 'the failed one is in the same response',
  })
  return { status: statusOf.batch_undone, body: envelope(error, outer.id) }
}

export const routes: Routes = (app, { access, batches, limits, restoredResponses }) => {
  const sequential = async (outer: FastifyRequest, { requests }: BatchRequest): Promise<BatchResponse> => {
    const responses: Answer[] = []
    const run = createRunner(app, outer)
    for (const [index, item] of requests.entries()) {
      const key = outer.requestId === undefined || item.method === 'GET' ? undefined : keyOf(outer.requestId, index)
      responses.push(await run(item, key))
    }
    return { responses }
  }

  const atomic = async (outer: FastifyRequest, { requests }: BatchRequest): Promise<BatchResponse> => {
    const id = await batches.open(outer.requestId)
    try {
      const responses: Answer[] = []
      const run = createRunner(app, outer)
      for (const item of requests) {
        const answer = await inBatch(id, () => run(item))
        if (answer.status >= 400) {
          await batches.undo(id)
          const before = responses.map((earlier, index) => (requests[index]?.method === 'GET' ? earlier : undone(outer, 'was undone')))
          return { responses: [...before, answer, ...requests.slice(responses.length + 1).map(() => undone(outer, 'was not run'))] }
        }
        responses.push(answer)
      }
      const isRepeatable = outer.requestId !== undefined
      await batches.commit(id, isRepeatable ? toStored({ responses }, access.sessionIdOf, limits.keptAnswerBytes) : null)
      return { responses }
    } catch (error) {
      await batches.undo(id)
      throw error
    }
  }

  const options = operation(
    {
      id: 'runBatch',
      tag: 'Batch',
      summary: 'Run several calls in one request',
      description:
        'Items run in order, with your credential, validation and limits, as if they were sent one by one. `/batch`, `/auth`, `/mcp`, ' +
        '`/shared`, `/visitor` and `/labs/access` cannot be items. An atomic batch ends at the first failure: the failed item keeps its own response, a start before it is undone and answers 424, ' +
        'a `GET` before it changed nothing and keeps its response, and what comes after it is not run and answers 424. You have the sandboxes ' +
        'and jobs that you had before. A sandbox of an atomic batch cannot be used before the batch has ended: 409 `sandbox_not_running`. Once the responses reach 8 MiB, the items that follow are not run and answer 413.',
      access: 'account',
      rate: 'write',
      recover: async (requestId) => {
        const recovered = await batches.recover(requestId)
        if (recovered === null) return null
        return { status: 200, body: recovered.answer === null ? undefined : await restoredResponses.restore(recovered.answer) }
      },
    },
    { body: BatchRequest, response: { 200: BatchResponse } },
  )
  app.post('/batch', options, (request) => {
    check(request.body, limits.batchItems)
    return request.body.mode === 'atomic' ? atomic(request, request.body) : sequential(request, request.body)
  })
}
