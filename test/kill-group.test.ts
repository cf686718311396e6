// Killing the processes of a command affects no others, whatever names processes choose. The helper that kills runs inside the sandbox
// here, so that a mistake could kill only processes of that sandbox.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { containerName } from '../src/engine/docker/container-options.ts'
import { createKill } from '../src/engine/docker/kill-group.ts'
import { createId } from '../src/ids.ts'
import { bareService, inMinutes, outputOf, script } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'

const { engine, docker, cleanUp } = createTestEngine()
const sandbox = createId()
const at = { sandbox, service: 'one' }
const container = containerName(sandbox, 'one')
/** `group`: a part of the names of the main process's control groups, as the helper sees them. */
const createKillInside = (group: string) =>
  createKill({
    docker,
    runEngineSide: async (_, command) => {
      const { Id: id, State: state } = await docker.getContainer(container).inspect()
      const inside = new Map([
        [String(state.Pid), '1'],
        [id, group],
      ])
      return engine.execDirect(at, { ...command, argv: command.argv.map((word) => inside.get(word) ?? word) })
    },
  })
const kill = createKillInside('/')

beforeAll(async () => {
  await engine.prepare(() => undefined)
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services: [bareService('one')], readyTimeoutSeconds: 30 } })
})
afterAll(cleanUp)

const run = async (text: string, stdin = '') => outputOf(await engine.execDirect(at, script(text, { stdin }))).trim()
/** Starts a process in a session of its own; its pid. */
const start = async (command: string) => Number(await run(`setsid ${command} > /dev/null 2>&1 < /dev/null & echo $!`))
const named = (name: string) => `import ctypes, time; ctypes.CDLL(None).prctl(15, b'${name}', 0, 0, 0); time.sleep(1000)`
const alive = async (...processes: number[]) =>
  (await run(`for p in ${processes.join(' ')}; do grep -q '^State:.[^ZX]' /proc/$p/status 2> /dev/null && echo $p; done; true`))
    .split('\n')
    .filter((line) => line !== '')
    .map(Number)

it.each([
  ['all processes', () => 1],
  ['the group of a bystander', (bystander: number) => bystander],
])('a name that claims the session of the leader and %s kills nobody else', async (_, groupOf) => {
  const bystander = await start('sleep 5001')
  const leader = await start('sh -c "sleep 5002 & sleep 5003"')
  const group = groupOf(bystander)
  const forger = await start(`python3 -c "${named(` ${group} ${leader} 0 ${group}\\n`)}"`)
  await expect.poll(() => run(`head -c 40 /proc/${forger}/stat | tr '\\n' '!'`)).toContain(`( ${group} ${leader} 0 ${group}!`)
  await kill.group(sandbox)(leader, container)
  expect(await alive(bystander, forger)).toEqual([bystander, forger])
  expect(await alive(leader)).toEqual([])
  expect(await run('pgrep -f "^sleep 500[23]" || true')).toBe('')
})

it('by pids inside the container, kills these groups and no other, and never the main process', async () => {
  const [bystander, one, two] = [await start('sleep 5011'), await start('sh -c "sleep 5012 & sleep 5013"'), await start('sleep 5014')]
  await kill.groupsInside(sandbox, container, await kill.mainOf(container), [1, 0, one, two])
  expect(await alive(bystander, one, two)).toEqual([bystander])
  expect(await run('pgrep -f "^sleep 501[234]" || true')).toBe('')
})

it('where the pid of the main process was reused by another container, nothing is killed', async () => {
  const [one, two] = [await start('sleep 5031'), await start('sleep 5032')]
  const late = createKillInside('f'.repeat(64))
  await late.groupsInside(sandbox, container, await late.mainOf(container), [one])
  await late.group(sandbox)(two, container)
  expect(await alive(one, two)).toEqual([one, two])
})

/** A terminal whose foreground group ignores the hangup of the terminal. */
const openTerminal = `
import os, pty, signal, time
leader, terminal = pty.fork()
if leader == 0:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    if os.fork() == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for _ in range(30):
            if os.fork() == 0: break
        os.execvp('sleep', ['sleep', '5021'])
    time.sleep(1000)
open('/tmp/leader', 'w').write(str(leader))
time.sleep(1000)`

it('the foreground of a terminal goes with its leader, though it is no longer the foreground then', async () => {
  await run('cat > /tmp/terminal.py', openTerminal)
  await start('python3 /tmp/terminal.py')
  await expect.poll(() => run('pgrep -cf "^sleep 5021" || true')).toBe('31')
  await kill.group(sandbox)(Number(await run('cat /tmp/leader')), container)
  expect(await run('pgrep -cf "^sleep 5021" || true')).toBe('0')
})
