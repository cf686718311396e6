// The running server of a data directory, called as its operator with a token that is revoked afterwards.

import { join } from 'node:path'
import { type Client, createClient } from '../../client/client.ts'
import { closestWords } from '../../closest-word.ts'
import type { Config } from '../../config.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'
import { readProcess } from '../../process-file.ts'
import { configOf, type DataOptions } from './options.ts'

const tokenDays = 1

export const serverUrl = async (config: Config): Promise<string> => {
  const server = await readProcess(join(config.dataDir, 'server.json'))
  if (typeof server?.url === 'string') return server.url
  throw new LabError('engine_unavailable', `nothing serves the data directory ${config.dataDir}`, { hint: 'start it with ./lab up' })
}

export interface Connection {
  readonly client: Client
  readonly url: string
  readonly token: string
}

/** `purpose` is the name of the token. */
export const withServer = async <T>(options: DataOptions, purpose: string, work: (connection: Connection) => Promise<T>): Promise<T> => {
  const config = configOf(options)
  const url = await serverUrl(config)
  const { openInstallation } = await import('../../installation.ts')
  const { store, accounts } = await openInstallation(config)
  const { token, api_token } = await accounts
    .operator()
    .then((operator) => accounts.issueToken(operator, purpose, tokenDays))
    .finally(() => store.close())
  const client = createClient({ rootUrl: url, token })
  try {
    return await work({ client, url, token })
  } finally {
    await client.revokeToken(api_token.id).catch(() => undefined) // it expires by itself
  }
}

/** One of the operator's sandboxes: by its id, by its course, or the only one. Throws not_found, with names that are near. */
export const findSandbox = (items: readonly SandboxSession[], wanted: string | undefined): SandboxSession => {
  const running = items.filter(({ status }) => status !== 'terminated')
  const matching = wanted === undefined ? running : running.filter(({ id, course_id }) => id === wanted || course_id === wanted)
  const [found, ...others] = matching
  if (found !== undefined && others.length === 0) return found
  const listed = running.map(({ id, course_id }) => `${id} (${course_id})`).join(', ')
  if (found !== undefined) {
    throw new LabError('invalid_request', `there are ${matching.length} sandboxes${wanted === undefined ? '' : ` of ${wanted}`}`, {
      hint: `name one by its id: ${matching.map(({ id }) => id).join(', ')}`,
    })
  }
  if (running.length === 0) throw new LabError('not_found', 'you have no sandbox', { hint: './lab drill starts one' })
  const near = closestWords(wanted ?? '', [...new Set(running.flatMap(({ id, course_id }) => [id, course_id]))])
  throw new LabError('not_found', `you have no sandbox ${wanted}${near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`}`, {
    hint: `there are ${listed}`,
  })
}
