// Kills processes of a container from a helper beside the engine: no program inside has to help, and none can prevent it.

import type { HostConfig } from 'dockerode'
import type { Command, CommandResult } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { ended, outcomeWithin } from './streams.ts'

/** Kills the process group of a leader, given by its pid on the engine's host. */
export type KillGroup = (leader: number, containerId: string) => Promise<void>

/** The main process of a container: its pid, and the full id of the container, which tells whether the pid was reused. */
interface Main {
  readonly pid: number
  readonly id: string
}

const killSessionMs = 15_000
const powers = { PidMode: 'host', CapAdd: ['KILL', 'SYS_PTRACE'] }
/** See images/probe/kill_group.py: by the leader's pid on the engine's host, or by pids inside the container. */
const order = (way: 'led' | 'inside', { pid, id }: Main, leaders: readonly number[]): Command => ({
  argv: ['python3', '/opt/probe/kill_group.py', way, String(pid), id, ...leaders.map(String)],
  timeoutMs: 20_000,
  outputBytes: 4096,
})

/** Kills the session of a program of ours that shares the engine's pid namespace, by a command in that program's own container. */
export const killSession =
  (docker: Docker, container: string) =>
  async (leader: number): Promise<void> => {
    if (leader <= 1) return
    const Cmd = ['python3', '/opt/probe/kill_group.py', 'session', String(leader)]
    const exec = await call(() => docker.getContainer(container).exec({ Cmd, AttachStdout: true, AttachStderr: true }))
    const stream = await call(() => exec.start({}))
    stream.resume()
    await outcomeWithin(ended(stream), killSessionMs)
  }

export interface KillDeps {
  readonly docker: Docker
  readonly runEngineSide: (
    sandbox: string,
    command: Command,
    powers: Pick<HostConfig, 'CapAdd' | 'NetworkMode' | 'PidMode'>,
  ) => Promise<CommandResult>
}

export const createKill = ({ docker, runEngineSide }: KillDeps) => {
  const find = async (container: string): Promise<Main> => {
    const { Id: id, State: state } = await call(() => docker.getContainer(container).inspect())
    return { pid: state.Pid, id }
  }

  return {
    /** The pid of a container's main process on the engine's host. */
    mainOf: async (container: string): Promise<number> => (await find(container)).pid,

    group:
      (sandbox: string): KillGroup =>
      async (leader, container) => {
        const main = await find(container)
        if (leader > 1 && main.pid > 1) await runEngineSide(sandbox, order('led', main, [leader]), powers)
      },

    /** By pids inside the container, unless it was restarted since `before` was its main process. */
    groupsInside: async (sandbox: string, container: string, before: number, leaders: readonly number[]): Promise<void> => {
      const wanted = leaders.filter((leader) => leader > 1)
      if (wanted.length === 0 || before <= 1) return
      const main = await find(container)
      if (main.pid === before) await runEngineSide(sandbox, order('inside', main, wanted), powers)
    },
  }
}

export type Kill = ReturnType<typeof createKill>
