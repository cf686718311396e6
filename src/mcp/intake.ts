// Takes in a request to any of the endpoints: checks Host and Origin, identifies the caller, reads the one message of a POST and counts
// it, as every request is counted, whatever its answer. What was counted is the object that runs. Never answers 401, because clients
// would then look for an authorization server, which does not exist.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { INVALID_REQUEST } from '@modelcontextprotocol/server'
import type { Hosts } from '../hosts.ts'
import type { Authentication, CountedRequest } from './authentication.ts'
import { allowOrigin, answerPreflight, refusalOf } from './guard.ts'
import { type Message, readMessage } from './message.ts'
import { refuseForNow, refuseMethod, sendRpcError, setRateHeaders } from './responses.ts'

/** What is known of a request before it is read. */
export interface Arrival {
  readonly address: string
  readonly requestId: string
}

export interface Received extends Arrival, CountedRequest {
  /** Empty unless it was posted. */
  readonly message: Message
}

export const maxRequestBodySize = 1024 * 1024
/** When the rate limit is reached, longer bodies are not read, because reading costs more than refusing. */
const shortBodySize = 16 * 1024

/** What a request that needs nothing more is received as. */
const answered = (answer: () => void): null => {
  answer()
  return null
}

/** A body without Content-Length may be long. */
const isLong = ({ headers }: IncomingMessage): boolean => !(Number(headers['content-length'] ?? Number.NaN) <= shortBodySize)

/** Resolves with null when the request was answered already. `methods` are those of the endpoint. */
export const createIntake =
  (authentication: Authentication, hosts: Hosts, methods: readonly string[]) =>
  async (request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<Received | null> => {
    const foreign = refusalOf(request.headers, request.socket.localPort, hosts.all(), hosts.origins())
    if (foreign === null) allowOrigin(request, response)
    const isPost = foreign === null && request.method === 'POST'
    const asker = await authentication.arrive(foreign === null ? request.headers.authorization : undefined, arrival.address)
    const hold = isPost && isLong(request) ? authentication.hold(asker) : null
    if (hold?.allowance?.allowed === false) {
      const { rateClass, allowance } = hold
      return answered(() => refuseForNow(response, rateClass, allowance)) // Node discards the body
    }
    const reading = isPost ? await readMessage(request, maxRequestBodySize) : { message: {} }
    hold?.release() // an aborted body stays counted, because no message will be
    const message = 'message' in reading ? reading.message : {}
    const counted = await authentication.admit(message, asker, arrival.address)
    const { rateClass, allowance } = counted
    if (allowance?.allowed === false) return answered(() => refuseForNow(response, rateClass, allowance, message.id))
    setRateHeaders(response, allowance)
    if (foreign !== null) return answered(() => sendRpcError(response, 403, { code: INVALID_REQUEST, message: foreign }))
    if (request.method === 'OPTIONS') return answered(() => answerPreflight(response, methods))
    if (!methods.includes(request.method ?? '')) return answered(() => refuseMethod(response, methods))
    if ('message' in reading) return { ...arrival, ...counted, message }
    const { status, code, reason, headers } = reading.refusal
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    return answered(() => sendRpcError(response, status, { code, message: reason }))
  }
