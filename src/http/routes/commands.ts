// Background commands in a sandbox.

import {
  SandboxCommand,
  SandboxCommandList,
  SandboxCommandOutput,
  SandboxCommandParams,
  SandboxCommandQuery,
  SandboxCommandRequest,
} from '../../contract/command.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { access, commands }) => {
  const about = { tag: 'Commands', access: 'account', rate: 'exec' } as const
  const failures = ['not_found', 'sandbox_not_running', 'container_not_running', 'engine_unavailable'] as const

  const start = operation(
    {
      ...about,
      id: 'startCommand',
      summary: 'Start a command in the background',
      description:
        'Runs it as root with `sh -c`, without a time limit. Its output is kept in the sandbox and can be read while it runs and afterwards. ' +
        'A container keeps 20 commands: the oldest that has ended makes room for a new one. Waits while the sandbox is being graded.',
      errors: [...failures, 'command_limit_reached', 'command_not_started'],
      recover: 'unknown',
    },
    { body: SandboxCommandRequest, response: { 201: SandboxCommand } },
  )
  app.post('/sandbox/commands', start, async (request, reply) => {
    const row = await access.held(callerOf(request), request.body.session_id)
    return reply.code(201).send(await commands.start(row, request.body))
  })

  const list = operation(
    {
      ...about,
      id: 'listCommands',
      summary: 'List background commands',
      description: 'Those of all containers of the sandbox, oldest first.',
      errors: failures,
    },
    { params: SandboxParams, response: { 200: SandboxCommandList } },
  )
  app.get('/sandbox/:sandboxId/commands', list, async (request) => ({
    items: await commands.list(await access.ownedById(callerOf(request), request.params.sandboxId)),
  }))

  const read = operation(
    {
      ...about,
      id: 'readCommand',
      summary: 'Read the output of a background command',
      description: 'From `offset` on, up to `limit` bytes. Read on at `next_offset`; nothing new there means nothing new was written.',
      errors: failures,
    },
    { params: SandboxCommandParams, querystring: SandboxCommandQuery, response: { 200: SandboxCommandOutput } },
  )
  app.get('/sandbox/:sandboxId/commands/:commandId', read, async (request) => {
    const row = await access.ownedById(callerOf(request), request.params.sandboxId)
    return commands.read(row, request.params.commandId, request.query)
  })

  const kill = operation(
    {
      ...about,
      id: 'killCommand',
      summary: 'Kill a background command',
      description: 'Kills its whole process group. A command that has ended stays as it is.',
      errors: failures,
      recover: 'again',
    },
    { params: SandboxCommandParams, response: { 200: SandboxCommand } },
  )
  app.delete('/sandbox/:sandboxId/commands/:commandId', kill, async (request) => {
    const row = await access.ownedById(callerOf(request), request.params.sandboxId)
    return commands.kill(row, request.params.commandId)
  })
}
