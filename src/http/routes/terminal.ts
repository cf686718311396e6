// Terminals over WebSocket. The first message authenticates and names the container. Every frame is validated; an invalid one ends
// its own connection and shell only. A lost connection leaves its shell open for a while, so that the client can reconnect.

import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Account, LabHolder } from '../../accounts/caller.ts'
import {
  terminalCloseCodes as closeCodes,
  TerminalControl,
  type TerminalEvent,
  TerminalHello,
  terminalLimits,
  terminalPath,
} from '../../contract/terminal.ts'
import { LabError, messageOf, statusOf } from '../../errors.ts'
import type { Features } from '../../features.ts'
import { parseJson } from '../../json-body.ts'
import { isLabToken } from '../../sandboxes/entry/lab-entry.ts'
import type { LabPresence } from '../../sandboxes/entry/lab-presence.ts'
import type { Shell, Viewer } from '../../sandboxes/run/shared-shell.ts'
import type { TerminalRequest } from '../../sandboxes/run/terminals.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import { invalidField, inWords, summarizeIssues } from '../../validation-messages.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { envelope, toLabError } from '../error-responses.ts'
import { followShell } from '../terminal-follower.ts'

/** A frame that is too large gets an error event up to this size; a larger one is not received to its end. */
const largestFrame = 1024 * 1024
const highWater = 256 * 1024
const lowWater = highWater / 4
/** What a frame counts beside its bytes, because empty frames fill a queue too. */
const frameCost = 64
const heartbeatMs = 15_000
const farewellMs = 2_000

/** Close codes of a lost connection: 1006 is an abnormal closure, 1001 a page that is being reloaded. */
const lostCodes = new Set([1001, 1006])

const parse = <T>(schema: z.ZodType<T>, frame: Buffer, what: string): T => {
  const refusal = (reason: string, details?: Record<string, unknown>) =>
    new LabError('invalid_request', `${what}: ${reason}`, details === undefined ? {} : { details })
  let value: unknown
  try {
    value = parseJson(frame)
  } catch (error) {
    throw refusal(messageOf(error))
  }
  const parsed = schema.safeParse(value, { error: inWords })
  if (parsed.success) return parsed.data
  const { summary, details } = summarizeIssues(parsed.error.issues, 'all of it')
  throw refusal(summary, details)
}

const serve = (
  socket: WebSocket,
  request: FastifyRequest,
  { tokens, labEntry, presences, access, terminals, guestOutput }: Features,
): void => {
  let shell: Shell | undefined
  /** Set for whoever came by the token of a lab. */
  let holder: LabHolder | undefined
  let wasRemoved = false
  let presence: LabPresence | undefined
  const afterwards: (() => void)[] = []
  let over = false
  let waiting = 0
  let work: Promise<void> = Promise.resolve()
  let answers = true
  let isFull = false

  const tell = (event: TerminalEvent) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event))
  }
  /** A client that does not answer the close is not waited for. */
  const depart = () => {
    for (const end of afterwards.splice(0)) end()
  }
  const finish = (code: number, event: TerminalEvent) => {
    if (over) return
    over = true
    tell(event)
    depart()
    socket.resume()
    socket.close(code)
  }
  const fail = (failure: unknown) => {
    const error = toLabError(failure instanceof Error ? failure : new Error(String(failure)))
    if (statusOf[error.code] === 500) request.log.error({ request_id: request.id, err: failure }, 'a terminal failed')
    const code = error.code === 'payload_too_large' ? closeCodes.tooLarge : closeCodes.refused
    finish(statusOf[error.code] >= 500 ? closeCodes.internal : code, envelope(error, request.id))
  }
  const perhapsLeft = (error: unknown) =>
    request.log.warn({ request_id: request.id, reason: messageOf(error) }, 'a shell may be left in its container')

  const late = setTimeout(
    () => fail(new LabError('request_timeout', `the first message did not come within ${terminalLimits.helloSeconds} seconds`)),
    terminalLimits.helloSeconds * 1000,
  )
  const heartbeat = setInterval(() => {
    if (!answers && !socket.isPaused) return socket.terminate()
    answers = false
    socket.ping()
    presence?.look().catch(() => undefined) // a store that does not answer removes nobody
  }, heartbeatMs)
  const remove = () => {
    wasRemoved = true
    finish(closeCodes.removed, { removed: true })
  }

  const settle = () => {
    if (isFull && socket.bufferedAmount <= lowWater) {
      isFull = false
      shell?.hold(viewer, false)
    }
  }
  const viewer: Viewer = {
    output: (chunk) => {
      if (socket.readyState !== socket.OPEN) return
      socket.send(chunk, settle)
      if (isFull || socket.bufferedAmount <= highWater) return
      isFull = true
      shell?.hold(viewer, true)
    },
    warn: (warning) => tell({ warning }),
    ended: (why) => {
      if (why !== null) tell({ warning: `the sandbox has ended: ${why}` })
      finish(closeCodes.ended, { exit: true })
    },
    replaced: () => finish(closeCodes.replaced, { replaced: true }),
  }

  const holderOf = async (token: string): Promise<LabHolder> => {
    const checked = await labEntry.byToken(token, request.ip)
    if (checked.found === null) throw checked.error
    holder = checked.found
    if (over) return holder
    presence = presences.begin(token, holder, remove)
    afterwards.push(presence.end)
    await presence.look()
    return holder
  }

  /** By the token, else by the browser session of the connection. */
  const accountOf = async (token: string | undefined): Promise<Account | LabHolder> => {
    if (token === undefined) return callerOf(request)
    if (isLabToken(token)) return holderOf(token)
    const identified = await tokens.byToken(token, request.ip)
    if (identified.account === null) throw identified.error
    return identified.account
  }

  const rowOf = (caller: Account | LabHolder) => access.visibleById(caller, caller.kind === 'lab' ? caller.sandboxId : '')

  /** A guest follows a shell that is open, and decides nothing about it. */
  const follow = (row: SandboxRow, guest: LabHolder, wanted: TerminalRequest) => {
    const opened = terminals.openShell(row, wanted)
    if (over) return
    const lane = guestOutput.join(guest.accessId)
    afterwards.push(lane.leave)
    shell = opened
    const from = opened.since(wanted.offset ?? 0).offset
    tell({ ready: true, container: opened.container, expires_at: row.expires_at, terminal_id: opened.id, offset: from })
    afterwards.push(followShell(opened, from, { socket, lane, tell, ended: viewer.ended }))
  }

  const mayType = () => holder === undefined || holder.role !== 'watcher'
  const isOwner = () => holder === undefined || holder.role === 'owner'
  const notAllowed = (what: string) =>
    new LabError('forbidden', `a ${holder?.role} may not ${what}`, { hint: 'the owner of the lab decides who may' })

  const open = async (frame: Buffer, isBinary: boolean) => {
    clearTimeout(late)
    if (isBinary) throw new LabError('invalid_request', 'the first message must be JSON text')
    const { session_id, token, ...wanted } = parse(TerminalHello, frame, 'the first message')
    const caller = await accountOf(token)
    if (over) return
    if (session_id === undefined && caller.kind !== 'lab') throw invalidField('session_id', 'is missing')
    const row = session_id === undefined ? await rowOf(caller) : await access.held(caller, session_id)
    if (caller.kind === 'lab' && caller.role !== 'owner') return follow(row, caller, wanted)
    const opened = await terminals.open(row, wanted, viewer.warn)
    const isNew = wanted.terminal_id === undefined
    if (over) return isNew ? opened.close().catch(perhapsLeft) : undefined
    shell = opened
    const { offset, bytes } = opened.attach(viewer, isNew ? 0 : (wanted.offset ?? 0))
    tell({ ready: true, container: opened.container, expires_at: row.expires_at, terminal_id: opened.id, offset })
    if (bytes.length > 0) viewer.output(bytes)
  }

  const take = async (frame: Buffer, isBinary: boolean) => {
    if (over) return
    if (frame.length > terminalLimits.frameBytes) {
      throw new LabError('payload_too_large', `a frame holds at most ${terminalLimits.frameBytes} bytes`, { hint: 'send it in pieces' })
    }
    if (shell === undefined) return open(frame, isBinary)
    if (isBinary && !mayType()) throw notAllowed('type')
    if (isBinary) return shell.write(frame, viewer.warn, () => !over)
    const { resize, keys } = parse(TerminalControl, frame, 'a text frame')
    if (!isOwner()) throw notAllowed(resize === undefined ? 'say where the owner types' : 'change the size')
    if (keys === true) terminals.takeKeys(shell)
    if (resize !== undefined) shell.resize(resize.columns, resize.rows).catch(fail)
  }

  socket.on('message', (frame: Buffer, isBinary) => {
    const cost = frame.length + frameCost
    waiting += cost
    if (waiting > highWater) socket.pause()
    work = work
      .then(() => take(frame, isBinary))
      .catch(fail)
      .finally(() => {
        waiting -= cost
        if (socket.isPaused && waiting <= lowWater) socket.resume()
      })
  })
  // A client that sends pings and does not read would fill the send queue with pongs.
  socket.on('ping', (text: Buffer) => {
    if (socket.bufferedAmount > highWater) socket.terminate()
    else socket.pong(text)
  })
  socket.on('pong', () => {
    answers = true
  })
  socket.once('close', (code) => {
    const isLost = (lostCodes.has(code) && !over) || wasRemoved // the shell of an owner whose page was loaded again lives on
    over = true
    clearTimeout(late)
    clearInterval(heartbeat)
    depart()
    shell?.leave(viewer, isLost ? 'lost' : 'done').catch(perhapsLeft)
  })
}

export const routes: Routes = (app, features) => {
  app.register(async (scope) => {
    await scope.register(websocket, {
      options: { maxPayload: largestFrame, autoPong: false },
      errorHandler: (error, _socket, request) =>
        request.log.info({ request_id: request.id, reason: messageOf(error) }, 'a terminal connection broke'),
      preClose: async () => {
        for (const client of scope.websocketServer.clients) {
          client.close(closeCodes.goingAway)
          setTimeout(() => client.terminate(), farewellMs).unref()
        }
      },
    })
    scope.route({
      method: 'GET',
      url: terminalPath,
      config: { public: true },
      schema: { hide: true } as never,
      handler: async () => {
        throw new LabError('invalid_request', 'this endpoint is a WebSocket', {
          hint: 'request an upgrade, then send the session_id and a token',
        })
      },
      wsHandler: (socket, request) => serve(socket, request as FastifyRequest, features),
    })
  })
}
