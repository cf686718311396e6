// `./lab drill` as a person sees it: a real terminal (tmux), a real server, a real incident that is really repaired.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { createId } from '../src/ids.ts'
import { aptInstall, run, succeeds } from '../src/run-program.ts'
import { root } from './support/engine.ts'
import { type MortalLab, runLab, startMortalLab } from './support/server.ts'
import { openTcpProxy } from './support/tcp-proxy.ts'

const socket = `drill-${createId()}`
const tmux = (...args: string[]) => run('tmux', ['-L', socket, '-f', '/dev/null', '-u', ...args], { TERM: 'xterm-256color', HOME: '/' })

let lab: MortalLab

beforeAll(async () => {
  if (!(await succeeds('tmux', ['-V']))) await aptInstall(['tmux'])
  lab = await startMortalLab()
})
afterAll(async () => {
  await tmux('kill-server').catch(() => undefined)
  await lab?.close()
})

const patienceMs = 90_000

/** A terminal with a plain shell in it. */
const openTerminal = async (columns = 80, rows = 24) => {
  const name = createId()
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux('new-session', '-d', '-s', name, ...size, '-c', root, 'env PS1="local> " sh')
  const screen = () => tmux('capture-pane', '-p', '-t', name)
  const history = () => tmux('capture-pane', '-p', '-J', '-S', '-500', '-t', name)
  const waitFor = async (look: () => Promise<string>, pattern: RegExp) => {
    const until = performance.now() + patienceMs
    for (;;) {
      const text = await look()
      if (pattern.test(text)) return text
      if (performance.now() > until) throw new Error(`${pattern} did not come; the screen:\n${await screen()}`)
      await systemClock.sleep(100)
    }
  }
  return {
    screen,
    /** Waits for something on the screen. */
    sees: (pattern: RegExp) => waitFor(screen, pattern),
    /** Waits for something that may have scrolled away. */
    saw: (pattern: RegExp) => waitFor(history, pattern),
    type: async (line: string) => {
      await tmux('send-keys', '-t', name, '-l', line)
      await tmux('send-keys', '-t', name, 'Enter')
    },
    press: (...keys: string[]) => tmux('send-keys', '-t', name, ...keys),
    /** The pid of the foreground process. */
    runningProcess: async () => Number(await run('pgrep', ['-P', (await tmux('display-message', '-p', '-t', name, '#{pane_pid}')).trim()])),
    resize: (width: number, height: number) => tmux('resize-window', '-t', name, '-x', String(width), '-y', String(height)),
    close: () => tmux('kill-session', '-t', name),
  }
}

const drill = (...args: string[]) => `./lab drill --data ${lab.dataDir} ${args.join(' ')}`
const sandboxes = async (): Promise<{ id: string; session_id: string }[]> => (await lab.call('GET', '/sandbox')).body.items

const stopAll = async () => {
  for (const { session_id } of await sandboxes()) await lab.call('POST', '/sandbox/stop', { session_id })
}
/** The sandbox that a drill before it has kept, or a new one. */
const findOrStart = async () => (await sandboxes())[0] ?? (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await stopAll()
})

describe('a drill', () => {
  it('is played from the brief to the score of 100, and leaves nothing', async () => {
    const terminal = await openTerminal()
    await terminal.type(drill())
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │ Booking .*Ctrl-\]/)
    const brief = await terminal.saw(/Ticket HL-2291/)
    expect(brief).toMatch(/• http:\/\/web\/health answers 200/)
    expect(brief).not.toMatch(/\*\*|^#|`/m)

    await terminal.type("curl -s -o /dev/null -w 'answer=%{http_code}\\n' http://web/api/sailings")
    await terminal.sees(/answer=502/)
    await terminal.type('stty size')
    await terminal.sees(/^23 80$/m)
    const shown = / (\d\d:\d\d) {2}ops/.exec(await terminal.screen())?.[1] as string
    await terminal.sees(new RegExp(` (?!${shown})\\d\\d:\\d\\d {2}ops`))

    await terminal.press('C-]', 'h')
    await terminal.sees(/── Hint 1 ─[\s\S]*502 is the proxy[\s\S]*root@ops:~#/)
    await terminal.press('C-]', 'g')
    await terminal.sees(/grading [✓✗·–]*[✓✗][✓✗·–]* \w+ \w+/)
    await terminal.saw(
      /✓ topology intact[\s\S]*✗ service recovered[\s\S]*– survives restart +not attempted[\s\S]*Score \d+ of 100 {2}19 evaluations left/,
    )

    await terminal.press('C-]', 'c')
    await terminal.sees(/root@web:[\s\S]*\d\d:\d\d {2}web │/)
    await terminal.press('C-]', 'c')
    await terminal.sees(/root@app:[\s\S]*\d\d:\d\d {2}app │/)
    await terminal.type(`sed -i 's/^bind = .*/bind = "0.0.0.0:8000"/' /etc/harbourline/gunicorn.conf.py`)
    await terminal.type("kill -HUP $(pgrep -o -f 'gunicorn --config')")
    await terminal.type('until curl -fs -o /dev/null http://web/health; do sleep 0.2; done; echo app"-"answers')
    await terminal.sees(/app-answers/)

    await terminal.press('C-]', 'g')
    const passed = await terminal.saw(/Score 100 of 100 {2}18 evaluations left/)
    expect(passed.match(/^ ✓ \w+ \w+/gm)?.length).toBeGreaterThanOrEqual(7)
    expect(passed.replace(/\s+/g, ' ')).toMatch(/Repaired\. Well done! The evaluation is stored as \w+/)
    const [evaluation] = (await lab.call('GET', '/evaluations')).body.items
    expect(passed).toContain(evaluation.id)

    // Grading restarted the container, which ended its shell; a new one was opened.
    await terminal.press('C-u')
    await terminal.type('echo still"-"usable on $(hostname)')
    await terminal.sees(/still-usable on app/)
    await terminal.sees(/0\d:\d\d {2}app │/)

    expect(passed).toMatch(/── Debrief ─/)

    await terminal.press('C-]', 's')
    await terminal.sees(/Stop the sandbox\? .*y: yes/)
    await terminal.press('Enter')
    await terminal.type('echo not"-"stopped')
    await terminal.sees(/not-stopped/)
    await terminal.press('C-]', 's')
    await terminal.sees(/Stop the sandbox\? .*y: yes/)
    await terminal.press('y')
    await terminal.sees(/The sandbox was stopped and removed\.\s+local>/)
    expect(await sandboxes()).toEqual([])
    await terminal.close()
  })

  it('lends the screen to full-screen programs, keeps its bar through resets and sizes, and gives the terminal back', async () => {
    const terminal = await openTerminal(120, 40)
    await terminal.type('before=$(stty -g)')
    await terminal.type(drill('--keep'))
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │ Booking answers 502 since the morning deploy .*brief/)

    await terminal.type('vi /etc/passwd')
    await terminal.sees(/root:x:0:0[\s\S]*\n\d* *\d\d:\d\d {2}ops │/)
    await terminal.press('C-]', '?')
    await terminal.sees(/── Keys ─[\s\S]*Press a key to go back/)
    await terminal.press('x')
    await terminal.sees(/^root:x:0:0/m)
    await terminal.resize(100, 30)
    await terminal.sees(/\n *\d\d:\d\d {2}ops │[^\n]*\n*$/)
    await terminal.type(':q!')
    await terminal.sees(/root@ops:~#/)
    await terminal.type('clear; reset; seq 200; stty size')
    await terminal.sees(/\n200\n29 100\nroot@ops:~# *\n *\d\d:\d\d {2}ops │/)

    // The shell on another container starts with a clean screen.
    await terminal.type('less /etc/services')
    await terminal.sees(/tcpmux/)
    await terminal.press('C-]', 'c')
    await terminal.sees(/── web ─[\s\S]*root@web:\S+# *\n *\d\d:\d\d {2}web │/)
    await terminal.type('exit')
    await terminal.sees(/── ops ─[\s\S]*root@ops:~# *\n *\d\d:\d\d {2}ops │/)

    // Ctrl-C goes to the shell.
    await terminal.type('sh -c "echo fast asleep; exec sleep 1000"')
    await terminal.sees(/\nfast asleep\n/)
    await terminal.press('C-c')
    await terminal.type('echo code=$?')
    await terminal.sees(/code=130/)

    await terminal.type('exit')
    await terminal.sees(/The sandbox keeps running for \d\d:\d\d; \.\/lab drill scenario-01 reconnects to it\.\s+local>/)
    await terminal.type('[ "$before" = "$(stty -g)" ] && echo same"-"terminal')
    await terminal.sees(/same-terminal/)
    await terminal.type('clear; seq 100')
    expect((await terminal.sees(/\n100\n/)).trimEnd()).toMatch(/\n100\nlocal>$/)
    await terminal.close()
  })

  it('goes on with a sandbox that is there, asks what becomes of it, and restores the terminal when it is killed', async () => {
    const kept = await findOrStart()
    const terminal = await openTerminal()
    await terminal.type('before=$(stty -g)')
    await terminal.type(drill())
    await terminal.sees(/You have a sandbox of this course, with \d\d:\d\d left\. Continue with it\? \[Y\/n\]/)
    await terminal.press('Enter')
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │/)
    expect((await sandboxes()).map(({ id }) => id)).toEqual([kept.id])

    process.kill(await terminal.runningProcess(), 'SIGTERM')
    await terminal.sees(/local>/)
    await terminal.type('[ "$before" = "$(stty -g)" ] && echo same"-"terminal')
    await terminal.sees(/same-terminal/)

    await terminal.type(drill())
    await terminal.sees(/Continue with it\? \[Y\/n\]/)
    await terminal.press('Enter')
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │/)
    await terminal.press('C-d')
    await terminal.sees(/Stop the sandbox\?.*\[y\/N\]/)
    await terminal.press('Enter')
    await terminal.sees(/The sandbox keeps running for \d\d:\d\d[\s\S]*local>/)

    await terminal.type(`clear; ${drill()}`)
    await terminal.sees(/Continue with it\? \[Y\/n\]/)
    await terminal.press('Enter')
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │/)
    await terminal.press('C-d')
    await terminal.sees(/Stop the sandbox\?.*\[y\/N\]/)
    await terminal.type('yes')
    await terminal.sees(/The sandbox was stopped and removed\.\s+local>/)
    expect(await sandboxes()).toEqual([])
    await terminal.close()
  })
})

describe('a start that is interrupted', () => {
  it('goes on unless the answer is yes, and leaves nothing then', async () => {
    await stopAll()
    const terminal = await openTerminal()
    await terminal.type(drill())
    await terminal.sees(/building your sandbox/)
    await terminal.press('C-c')
    await terminal.sees(/It is not ready yet\. Stop it\? \[y\/N\]/)
    await terminal.type('yes')
    await terminal.sees(/lab: the start was interrupted \(nothing of it is left\)\s+local>/)
    await expect.poll(sandboxes).toEqual([])

    await terminal.type(`clear; ${drill('--keep')}`)
    await terminal.sees(/building your sandbox/)
    await terminal.press('C-c')
    await terminal.sees(/Stop it\? \[y\/N\]/)
    await terminal.press('Enter')
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │/)
    await terminal.type('exit')
    await terminal.sees(/The sandbox keeps running for/)
    await terminal.close()
  })
})

describe('verbs for sandboxes', () => {
  const verb = (...args: string[]) => runLab([...args, '--data', lab.dataDir])

  it('list courses and sandboxes, grade step by step, and stop after a clear yes', async () => {
    await stopAll()
    expect((await verb('courses')).stdout).toMatch(/^scenario-01 +beginner +\S+ +\d+ min +\S/m)
    expect(JSON.parse((await verb('courses', '--tier', 'expert', '--json')).stdout)).toContainEqual(
      expect.objectContaining({ tier: 'expert' }),
    )
    expect((await verb('courses', '--tier', 'wizard')).code).toBe(1)
    expect((await verb('sandboxes')).stdout).toBe('You have no sandbox; ./lab drill starts one.\n')
    expect((await verb('grade')).stderr).toBe('lab: you have no sandbox (./lab drill starts one)\n')

    const { id } = await findOrStart()
    expect((await verb('sandboxes')).stdout).toMatch(new RegExp(`^${id} +scenario-01 +running +\\d+:\\d\\d +20 +ops web app db$`, 'm'))
    expect((await verb('stop', 'scenario-1', '--yes')).stderr).toContain('you have no sandbox scenario-1; did you mean scenario-01?')
    const graded = await verb('grade', 'scenario-01')
    expect([graded.code, graded.stderr]).toEqual([1, ''])
    const plain = graded.stdout
    expect(plain.match(/^ [✓✗–] /gm)).toHaveLength(7)
    expect(plain).toMatch(/^ – stable under load +not attempted$/m)
    expect(plain).toMatch(/Score 40 of 100 {2}19 evaluations left/)
    expect(plain).not.toContain('Debrief')
    expect((await verb('stop')).stderr).toMatch(/add --yes/)

    const terminal = await openTerminal(100)
    await terminal.type(`./lab stop --data ${lab.dataDir}`)
    await terminal.sees(new RegExp(`Stop the sandbox ${id} of scenario-01\\? All work in it is lost\\. \\[y/N\\]`))
    await terminal.press('Enter')
    await terminal.sees(/Nothing was stopped\./)
    await terminal.close()
    expect((await verb('stop', id, '--yes')).stdout).toBe(`The sandbox ${id} was stopped and removed.\n`)
    expect(await sandboxes()).toEqual([])
  })
})

describe('a connection that breaks', () => {
  it('is made again, to the same shell; after a restart of the server to a new one, and that is said', async () => {
    const proxy = await openTcpProxy(lab.url())
    const terminal = await openTerminal(100)
    try {
      const record = join(lab.dataDir, 'server.json')
      const server = JSON.parse(await readFile(record, 'utf8'))
      await writeFile(record, JSON.stringify({ ...server, url: proxy.url }))
      await terminal.type(drill('--keep'))
      await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │/)
      await terminal.type('kept=treasure; for i in $(seq 60); do echo "<$i>"; sleep 0.05; done')
      await terminal.sees(/<10>/)
      proxy.cutAll()
      await terminal.saw(/<10>\n<11>\n(<\d+>\n)*<59>\n<60>\n/)
      await terminal.type('echo my-$kept')
      await terminal.sees(/^my-treasure$/m)

      await lab.kill()
      await terminal.sees(/the connection is lost; trying again/)
      await lab.start()
      proxy.connectTo(lab.url())
      await terminal.sees(/The server was restarted, and the shell[\s\S]*root@ops:~# *\n *\d\d:\d\d {2}ops │/)
      await terminal.type('echo my-$kept-$((40 + 2))')
      await terminal.sees(/^my--42$/m)
      await terminal.type('exit')
      await terminal.sees(/The sandbox keeps running for/)
    } finally {
      await terminal.close()
      proxy.close()
    }
  })
})

describe('a drill that goes on with a sandbox', () => {
  it('says when the sandbox ends under it', async () => {
    await findOrStart()
    const terminal = await openTerminal()
    await terminal.type(drill())
    await terminal.sees(/Continue with it\? \[Y\/n\]/)
    await terminal.press('Enter')
    await terminal.sees(/root@ops:~# *\n *\d\d:\d\d {2}ops │/)
    await stopAll()
    await terminal.sees(/The sandbox has ended \(stopped\)\.\s+local>/)
    await terminal.close()
  })
})

describe('without what it needs', () => {
  it('a terminal', async () => {
    const { code, stderr } = await runLab(['drill', '--data', lab.dataDir])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^lab: a drill needs a terminal \(.*REST.*MCP.*\)\n$/)
  })

  it('a server, or a course', async () => {
    const empty = join(lab.dataDir, 'empty')
    await mkdir(empty)
    const terminal = await openTerminal(160)
    await terminal.type(`./lab drill --data ${empty}; echo code=$?`)
    await terminal.sees(/lab: nothing serves the data directory .* \(start it with \.\/lab up\)\s+code=1/)
    await terminal.type(`${drill('no-such-course')}; echo code=$?`)
    await terminal.sees(/lab: there is no course no-such-course.*\s+code=1/)
    await terminal.close()
  })
})
