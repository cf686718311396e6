// Background commands: start, read the output from an offset, kill. Their state is in files inside the container, written by
// commands.sh, so that it survives a restart of the service. A user who tampers with these files deceives only himself: what is
// read is parsed and capped like any output.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import {
  type CommandStatus,
  commandLimits,
  type SandboxCommand,
  type SandboxCommandOutput,
  type SandboxCommandQuery,
  type SandboxCommandRequest,
} from '../../contract/command.ts'
import type { Command, CommandResult, Engine } from '../../engine/engine.ts'
import { isLabError, LabError } from '../../errors.ts'
import type { GradingLock } from '../../grading/grading-lock.ts'
import { createId } from '../../ids.ts'
import { requireRunning } from '../../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { serviceIn, servicesOf } from '../access.ts'
import { completeLength } from './utf8.ts'
import { createWhileRunning, hasSucceeded } from './while-running.ts'

const script = readFileSync(join(import.meta.dirname, 'commands.sh'), 'utf8')
const timeoutMs = 10_000
/** Enough for the states of all commands of a container. */
const stateBytes = 64 * 1024
const noSuchCommand = 3
const noPlaceLeft = 4
const state = /^([0-9a-z]{16}) (running|exited|killed|lost) (-|[0-9]{1,3}) ([0-9]{1,15}) ([0-9]{1,14})$/
const commandId = /^(.+)\.([0-9a-z]{16})$/

export interface CommandsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly gradingLock: GradingLock
  readonly clock: Clock
}

const unknownCommand = () => new LabError('not_found', 'there is no such command in this sandbox', { hint: 'list its commands' })

const statesIn = (container: string, { stderr }: CommandResult): SandboxCommand[] =>
  stderr
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [, name, status, code, bytes, startedAt] = state.exec(line) ?? []
      if (name === undefined) return []
      return {
        command_id: `${container}.${name}`,
        container,
        status: status as CommandStatus,
        exit_code: status === 'exited' && code !== '-' ? Number(code) : null,
        output_bytes: Number(bytes),
        started_at: new Date(Number(startedAt)).toISOString(),
      }
    })

/** The state of the named command. Throws not_found. */
const stateIn = (container: string, name: string, result: CommandResult): SandboxCommand => {
  const found = statesIn(container, result).find(({ command_id }) => command_id === `${container}.${name}`)
  if (found === undefined || result.exitCode === noSuchCommand) throw unknownCommand()
  return found
}

export const createCommands = ({ store, engine, gradingLock, clock }: CommandsDeps) => {
  const whileRunning = createWhileRunning(store)

  /** Waits while the sandbox is being graded. */
  const run = async (row: SandboxRow, service: string, args: readonly string[], extra: Partial<Command> = {}): Promise<CommandResult> => {
    await gradingLock.released(row.id)
    const argv = ['sh', '-c', script, 'commands', ...args]
    const command = { argv, timeoutMs, outputBytes: stateBytes, ...extra }
    return whileRunning(row, () => engine.exec({ sandbox: row.id, service }, command), hasSucceeded)
  }

  const parse = (row: SandboxRow, id: string): { service: string; name: string } => {
    requireRunning(row)
    const [, service, name] = commandId.exec(id) ?? []
    if (service === undefined || name === undefined || !servicesOf(row).includes(service)) throw unknownCommand()
    return { service, name }
  }

  const listIn = async (row: SandboxRow, service: string): Promise<SandboxCommand[]> => {
    try {
      return statesIn(service, await run(row, service, ['list', String(commandLimits.keptPerContainer)]))
    } catch (error) {
      if (isLabError(error, 'container_not_running')) return []
      throw error
    }
  }

  return {
    /** Throws command_limit_reached, command_not_started. */
    start: async (row: SandboxRow, request: Omit<SandboxCommandRequest, 'session_id'>): Promise<SandboxCommand> => {
      requireRunning(row)
      const service = serviceIn(row, request.container)
      const name = createId()
      const args = ['start', name, String(clock.now().getTime()), String(commandLimits.keptPerContainer), request.command]
      const result = await run(row, service, args, {
        ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
        ...(request.working_directory === undefined ? {} : { workingDirectory: request.working_directory }),
      })
      if (result.exitCode === noPlaceLeft) {
        const message = `${commandLimits.keptPerContainer} commands run in ${service} already`
        throw new LabError('command_limit_reached', message, { hint: 'kill one first' })
      }
      const [started] = statesIn(service, result)
      if (started !== undefined) return started
      const reason = result.stderr.toString().trim().slice(-500) || 'its container has no working shell'
      throw new LabError('command_not_started', `the command could not be started: ${reason}`, { hint: 'check the container with an exec' })
    },

    list: async (row: SandboxRow): Promise<SandboxCommand[]> => {
      requireRunning(row)
      const all = await Promise.all(servicesOf(row).map((service) => listIn(row, service)))
      return all.flat().sort((a, b) => a.started_at.localeCompare(b.started_at))
    },

    read: async (row: SandboxRow, id: string, { offset, limit }: SandboxCommandQuery): Promise<SandboxCommandOutput> => {
      const { service, name } = parse(row, id)
      const result = await run(row, service, ['read', name, String(offset), String(limit)], { outputBytes: Math.max(limit, stateBytes) })
      const found = stateIn(service, name, result)
      const bytes = result.stdout.subarray(0, limit)
      const mayGoOn = found.status === 'running' || bytes.length === limit
      const length = mayGoOn ? completeLength(bytes) : bytes.length
      const begin = bytes.length === 0 ? Math.min(offset, found.output_bytes) : offset // else who asks from beyond the end stays there
      return { ...found, output: bytes.toString('utf8', 0, length), offset: begin, next_offset: begin + length }
    },

    /** Idempotent: a command that has ended stays as it is. */
    kill: async (row: SandboxRow, id: string): Promise<SandboxCommand> => {
      const { service, name } = parse(row, id)
      return stateIn(service, name, await run(row, service, ['kill', name]))
    },
  }
}

export type Commands = ReturnType<typeof createCommands>
