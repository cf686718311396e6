// The routes of a container view: an allow-list of Docker's API. Nothing else reaches the engine.

import { PassThrough, type Readable } from 'node:stream'
import { z } from 'zod'
import { checkValue, parseCheckedJson } from '../../../checked-json.ts'
import { openAnswer, readWithin } from '../bounded-responses.ts'
import type { Docker } from '../connection.ts'
import { EngineEvent } from '../docker-responses.ts'
import type { Execs } from './execs.ts'
import {
  parseCondition,
  parseExecCreate,
  parseExecStart,
  parseFilters,
  parseFlag,
  parseGrace,
  parseLogs,
  parseSignal,
  parseSize,
  Refusal,
} from './requests.ts'
import type { Changes } from './service-actions.ts'
import { statsResponse } from './stats.ts'
import { rebuildLines } from './streaming.ts'
import { apiVersion, containerInspectResponse, containerListItem, eventOf, infoResponse, versionResponse } from './view-responses.ts'
import type { VisibleContainer, VisibleContainers } from './visible-containers.ts'

export interface ViewRequest {
  /** The variable part of the path: the name or id of a container. */
  readonly reference: string
  readonly query: URLSearchParams
  /** The parsed body; undefined when there is none. */
  readonly body: unknown
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal
}

export interface ViewResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  readonly stream?: Readable
}

export interface Route {
  readonly method: string
  readonly pattern: RegExp
  readonly answer: (asked: ViewRequest) => Promise<ViewResponse>
}

const rawStream = 'application/vnd.docker.raw-stream'
/** The default of `docker top`. The engine runs ps on its own host, so users may not choose the arguments. */
const psArguments = '-ef'
/** A limit, because processes choose their own command lines. */
const longestTable = 1024 ** 2
const ProcessTable = z.object({ Titles: z.array(z.string()), Processes: z.array(z.array(z.string())) })
const defaultGraceSeconds = 5
const pingHeaders = { 'Api-Version': apiVersion, 'Docker-Experimental': 'false', Ostype: 'linux', 'Cache-Control': 'no-cache' }

const matches = (seen: VisibleContainer, filters: ReadonlyMap<string, readonly string[]>): boolean =>
  [...filters].every(([name, values]) => {
    if (name === 'name') return values.some((value) => `/${seen.name}`.includes(value.replace(/[\^$]/g, '')))
    if (name === 'id') return values.some((value) => seen.id.startsWith(value))
    if (name === 'status') return values.includes(seen.info.State)
    if (name === 'label') return values.length === 0 // services have no labels
    throw new Refusal(400, `Invalid filter '${name.slice(0, 40)}'`)
  })

export interface RoutesDeps {
  readonly docker: Docker
  readonly seen: VisibleContainers
  readonly changes: Changes
  readonly execs: Execs
}

export const createRoutes = ({ docker, seen, changes, execs }: RoutesDeps): readonly Route[] => {
  const list = async ({ query }: ViewRequest): Promise<ViewResponse> => {
    const filters = parseFilters(query)
    const all = parseFlag(query, 'all', false) || filters.has('status') || Number(query.get('limit')) > 0
    const shown = (await seen.all()).filter((each) => (all || each.info.State === 'running') && matches(each, filters))
    const limit = Number(query.get('limit'))
    return { json: (limit > 0 ? shown.slice(0, limit) : shown).map(containerListItem) }
  }

  const logs = async ({ reference, query }: ViewRequest): Promise<ViewResponse> => {
    const { follow, stdout, stderr, timestamps, since, until, tail } = parseLogs(query)
    const { engineId } = await seen.find(reference)
    if (!stdout && !stderr) throw new Refusal(400, 'Bad parameters: you must choose at least one stream')
    const flags = Object.entries({ follow, stdout, stderr, timestamps }).map(([name, set]) => [name, set ? '1' : '0'])
    const rest = Object.entries({ since, until, tail }).filter(([, value]) => value !== undefined && value !== '')
    return {
      headers: { 'Content-Type': rawStream },
      stream: await openAnswer(docker, `/containers/${engineId}/logs`, Object.fromEntries([...flags, ...rest])),
    }
  }

  const top = async ({ reference, query }: ViewRequest): Promise<ViewResponse> => {
    if (!['', psArguments].includes(query.get('ps_args') ?? ''))
      throw new Refusal(403, 'the columns of top cannot be chosen in this sandbox')
    const { engineId, name, info } = await seen.find(reference)
    if (info.State !== 'running') throw new Refusal(409, `Container ${name} is not running`)
    const table = await readWithin(longestTable, await openAnswer(docker, `/containers/${engineId}/top`, { ps_args: psArguments }))
    if (table === null) throw new Refusal(500, `the process list of ${name} is too long to be shown`)
    return { json: parseCheckedJson(ProcessTable, table) }
  }

  const stats = async ({ reference, query }: ViewRequest): Promise<ViewResponse> => {
    const one = await seen.find(reference)
    const stream = parseFlag(query, 'stream', true) && one.info.State === 'running'
    const source = await openAnswer(docker, `/containers/${one.engineId}/stats`, { stream: stream ? '1' : '0' })
    const rebuilt = rebuildLines((value) => statsResponse(one, value))
    rebuilt.once('close', () => source.destroy())
    source.once('error', () => rebuilt.destroy())
    return { headers: { 'Content-Type': 'application/json' }, stream: source.pipe(rebuilt) }
  }

  const events = async ({ query }: ViewRequest): Promise<ViewResponse> => {
    if (query.get('since') || query.get('until')) throw new Refusal(403, 'only events from now on can be seen in this sandbox')
    const all = await seen.all()
    const filters = JSON.stringify({ type: ['container'], container: all.map(({ engineId }) => engineId) })
    const source = await openAnswer(docker, '/events', { filters })
    const rebuilt = rebuildLines((value) => eventOf(checkValue(EngineEvent, value), all))
    rebuilt.once('close', () => source.destroy())
    source.once('error', () => rebuilt.destroy())
    return { headers: { 'Content-Type': 'application/json' }, stream: source.pipe(rebuilt) }
  }

  const wait = async ({ reference, query, gone }: ViewRequest): Promise<ViewResponse> => {
    const condition = parseCondition(query)
    const { engineId } = await seen.find(reference)
    // The headers are sent at once: the docker command waits for them before it goes on.
    const stream = new PassThrough()
    const waiting = docker.getContainer(engineId).wait({ condition, abortSignal: gone })
    waiting.then(
      ({ StatusCode }: { StatusCode: number }) => stream.end(`${JSON.stringify({ StatusCode, Error: null })}\n`),
      () => stream.destroy(),
    )
    return { headers: { 'Content-Type': 'application/json' }, stream }
  }

  const createExec = async ({ reference, body }: ViewRequest): Promise<ViewResponse> => {
    const spec = parseExecCreate(body)
    const one = await seen.find(reference)
    if (one.info.State !== 'running') throw new Refusal(409, `Container ${one.id} is not running`)
    return { status: 201, json: { Id: execs.create(one, spec) } }
  }

  const startExec = async ({ reference, body }: ViewRequest): Promise<ViewResponse> => {
    if (!parseExecStart(body ?? {}).Detach) throw new Refusal(400, 'a command that is attached to needs an upgraded connection')
    await execs.startDetached(reference)
    return {}
  }

  const change =
    (work: (one: VisibleContainer, asked: ViewRequest) => Promise<void>) =>
    async (asked: ViewRequest): Promise<ViewResponse> => {
      await work(await seen.find(asked.reference), asked)
      return { status: 204 }
    }

  const container = (rest: string) => new RegExp(`^/containers/([a-z0-9-]+)/${rest}$`)
  const exec = (rest: string) => new RegExp(`^/exec/([a-f0-9]{64})/${rest}$`)
  const ping = async (): Promise<ViewResponse> => ({ text: 'OK', headers: pingHeaders })

  return [
    { method: 'GET', pattern: /^\/_ping$/, answer: ping },
    { method: 'HEAD', pattern: /^\/_ping$/, answer: ping },
    { method: 'GET', pattern: /^\/version$/, answer: async () => ({ json: versionResponse() }) },
    { method: 'GET', pattern: /^\/info$/, answer: async () => ({ json: infoResponse(await seen.all()) }) },
    { method: 'GET', pattern: /^\/events$/, answer: events },
    { method: 'GET', pattern: /^\/containers\/json$/, answer: list },
    {
      method: 'GET',
      pattern: container('json'),
      answer: async ({ reference }) => {
        const one = await seen.find(reference)
        return { json: containerInspectResponse(one, await changes.inspect(one)) }
      },
    },
    { method: 'GET', pattern: container('logs'), answer: logs },
    { method: 'GET', pattern: container('top'), answer: top },
    { method: 'GET', pattern: container('stats'), answer: stats },
    { method: 'POST', pattern: container('wait'), answer: wait },
    { method: 'POST', pattern: container('start'), answer: change((one) => changes.start(one)) },
    {
      method: 'POST',
      pattern: container('stop'),
      answer: change((one, { query }) => changes.stop(one, parseGrace(query, defaultGraceSeconds))),
    },
    {
      method: 'POST',
      pattern: container('restart'),
      answer: change((one, { query }) => changes.restart(one, parseGrace(query, defaultGraceSeconds))),
    },
    { method: 'POST', pattern: container('kill'), answer: change((one, { query }) => changes.kill(one, parseSignal(query))) },
    {
      method: 'POST',
      pattern: container('update'),
      answer: async ({ reference, body }) => {
        await changes.update(await seen.find(reference), body)
        return { json: { Warnings: null } }
      },
    },
    // Services have no terminal of their own.
    { method: 'POST', pattern: container('resize'), answer: change(async () => undefined) },
    { method: 'POST', pattern: container('exec'), answer: createExec },
    { method: 'POST', pattern: exec('start'), answer: startExec },
    { method: 'GET', pattern: exec('json'), answer: async ({ reference }) => ({ json: await execs.inspect(reference) }) },
    {
      method: 'POST',
      pattern: exec('resize'),
      answer: async ({ reference, query }) => {
        await execs.resize(reference, parseSize(query))
        return {}
      },
    },
  ]
}
