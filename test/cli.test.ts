// The command line: output and exit codes.

import { readdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { openInstallation } from '../src/installation.ts'
import { run } from '../src/run-program.ts'
import { root } from './support/engine.ts'
import { createClient, createDataDir, type LabRun, runLab, smallCatalog, startLabProcess } from './support/server.ts'

const verbs = readdirSync(join(root, 'src/cli'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'main.ts')
  .map((name) => name.replace('.ts', ''))

let dataDir: string
let emptyDir: string

beforeAll(async () => {
  dataDir = await createDataDir()
  emptyDir = await createDataDir()
})
afterAll(async () => {
  await runLab(['down', '--data', dataDir])
  await Promise.all([dataDir, emptyDir].map((folder) => rm(folder, { recursive: true, force: true })))
})

/** Exit code 1, nothing on stdout, one line on stderr. */
const failsWith = (run: LabRun, reason: string | RegExp) => {
  expect([run.code, run.stdout]).toEqual([1, ''])
  expect(run.stderr).toMatch(/^lab: [^\n]+\n$/)
  expect(run.stderr).toMatch(reason)
}

describe('help', () => {
  it('lists every verb, with and without the word', async () => {
    for (const run of await Promise.all([runLab(['help']), runLab([])])) {
      expect([run.code, run.stderr]).toEqual([0, ''])
      for (const verb of verbs) expect(run.stdout).toMatch(new RegExp(`^ +${verb}\\b`, 'm'))
    }
  })

  it('explains every verb, and prints the version', async () => {
    const explained = [...verbs.map((verb) => [verb, '--help']), ['help', 'up'], ['token', 'create', '--help']]
    for (const run of await Promise.all(explained.map((args) => runLab(args)))) {
      expect([run.code, run.stderr]).toEqual([0, ''])
      expect(run.stdout).toMatch(/^Usage: lab /)
    }
    expect((await runLab(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('suggests a verb for one that there is not', async () => {
    const run = await runLab(['sandbxes'])
    expect([run.code, run.stderr]).toEqual([2, 'lab: there is no verb "sandbxes"; did you mean sandboxes? (./lab help lists the verbs)\n'])
    expect((await runLab(['help', 'gradee'])).stderr).toContain('did you mean grade?')
  })

  it('is pointed to, with exit code 2, when the usage is wrong', async () => {
    const wrong = [['dance'], ['up', '--dance'], ['status', 'extra'], ['token'], ['token', 'create'], ['up', '--port']]
    for (const run of await Promise.all(wrong.map((args) => runLab(args)))) {
      expect([run.code, run.stdout]).toEqual([2, ''])
      expect(run.stderr).not.toBe('')
    }
  })
})

describe('completion', () => {
  it('completes verbs, options and courses in bash, and is a script for the other shells', async () => {
    const [bash, zsh, fish, wrong] = await Promise.all(['bash', 'zsh', 'fish', 'cmd'].map((shell) => runLab(['completion', shell])))
    const complete = async (line: string) => {
      const words = line.split(' ')
      const script = `${bash?.stdout}
COMP_LINE='${line}' COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
_lab lab '${words.at(-1)}' ''
echo "\${COMPREPLY[*]}"`
      return (await run('bash', ['-c', script])).trim()
    }
    expect(await complete('./lab gr')).toBe('grade')
    expect((await complete('./lab ')).split(' ')).toEqual(expect.arrayContaining(['help', ...verbs]))
    expect(await complete('./lab drill scenario-0')).toContain('scenario-01 scenario-02')
    expect(await complete('./lab stop --y')).toBe('--yes')
    expect(await complete('./lab token cr')).toBe('create')
    for (const script of [zsh, fish]) for (const verb of verbs) expect(script?.stdout).toContain(verb)
    failsWith(wrong as LabRun, 'there is no completion for cmd')
  })
})

describe('config', () => {
  it('prints every value, secrets masked', async () => {
    const secrets = { LAB_SECRET: 'not-for-anybody-to-see-0123456789', LAB_DATABASE_URL: 'postgres://lab:pass-word@db/lab' }
    const run = await runLab(['config', '--data', dataDir, '--port', '4711'], secrets)
    expect([run.code, run.stderr]).toEqual([0, ''])
    const expected = [`LAB_DATA_DIR=${dataDir}`, 'LAB_PORT=4711', 'LAB_SECRET=********', 'LAB_DATABASE_URL=********', 'LAB_HOST=127.0.0.1']
    for (const line of expected) expect(run.stdout.split('\n')).toContain(line)
    expect(run.stdout).not.toMatch(/anybody|pass-word/)
  })

  it('is refused in one line when a value is unknown or invalid, whatever the verb', async () => {
    const wrong = { LAB_CAPACITY: 'many', LAB_SECRET: 'tiny-one' }
    const [unknown, ...invalid] = await Promise.all([
      runLab(['up', '--data', emptyDir], { LAB_PROT: '80' }),
      ...['config', 'up', 'status', 'down'].map((verb) => runLab([verb, '--data', emptyDir], wrong)),
    ])
    failsWith(unknown as LabRun, 'unknown configuration: LAB_PROT')
    for (const run of invalid) {
      failsWith(run, /LAB_SECRET: .*LAB_CAPACITY: /)
      expect(run.stderr).not.toContain('tiny-one')
    }
  })

  it('refuses a port that is none', async () => {
    const runs = ['http', '70000'].map((port) => runLab(['up', '--data', emptyDir, '--port', port]))
    for (const run of await Promise.all(runs)) failsWith(run, 'LAB_PORT')
  })
})

describe('token create', () => {
  const create = (...args: string[]) => runLab(['token', 'create', '--data', emptyDir, ...args])

  it('prints the token and nothing else', async () => {
    const run = await create('--name', 'ci', '--days', '365')
    expect(run).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(/^ilab_pat_[0-9A-Za-z]{38}\n$/) })
  })

  it('refuses days out of range, and a name that says nothing', async () => {
    const days = ['0', '366', 'x', '1.5', ''].map((value) => create('--name', 'ci', `--days=${value}`))
    for (const run of await Promise.all(days)) failsWith(run, '--days: ')
    for (const run of await Promise.all([create('--name', ' '), create('--name', 'n'.repeat(101))])) failsWith(run, '--name: ')
  })
})

describe('a scenario or a case that there is not', () => {
  it('is named by lint', async () => {
    failsWith(await runLab(['lint', 'scenario-01', 'scenario-1']), 'there is no scenario scenario-1; there are scenario-01,')
  })

  it('proves nothing', async () => {
    const run = await runLab(['prove', 'scenario-01', '--only', 'nonsense', '--data', emptyDir])
    expect([run.code, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toMatch(/lab: no case has "nonsense" in its name; the cases are: healthy, nothing done, solution reference/)
  })
})

describe('a proof that is interrupted', () => {
  it.concurrent.each([
    ['its first container is there', () => true], // usually the helper that sets the firewall rules, for a tenth of a second
    ['a sandbox starts', (id: string) => id !== 'firewall'],
  ])('while %s says so, fails no case, and leaves nothing', async (_, isIt) => {
    const folder = await createDataDir()
    const { engine, store } = await openInstallation(readConfig({ LAB_DATA_DIR: folder }))
    const proving = startLabProcess(['prove', 'scenario-01', '--runs', '2', '--only', 'healthy', '--data', folder], smallCatalog)
    await expect.poll(async () => (await engine.list()).some(({ id }) => isIt(id))).toBe(true)
    proving.child.kill('SIGINT')
    proving.child.kill('SIGINT')
    const run = await proving.ended
    expect([run.code, run.stdout]).toEqual([130, ''])
    expect(run.stderr).toMatch(/\nInterrupted: all sandboxes were removed\. Scenarios whose cases had all ended are recorded\.\n$/)
    expect(run.stderr).not.toMatch(/FAILED|NOT JUDGED/)
    expect(await engine.list()).toEqual([])
    await store.close()
    await rm(folder, { recursive: true })
  })
})

describe('where nothing runs', () => {
  it('status exits with 1 and says so', async () => {
    const runs = [emptyDir, join(emptyDir, 'none')].map((folder) => runLab(['status', '--data', folder]))
    for (const run of await Promise.all(runs)) {
      expect([run.code, run.stderr]).toEqual([1, ''])
      expect(run.stdout).toMatch(/^server +not running$/m)
    }
  })

  it('down says so and exits with 0', async () => {
    const missing = join(emptyDir, 'none')
    expect(await runLab(['down', '--data', missing])).toEqual({
      code: 0,
      stderr: '',
      stdout: `Nothing to stop: ${missing} does not exist.\n`,
    })
    expect(await runLab(['down', '--data', emptyDir])).toEqual({ code: 0, stderr: '', stdout: 'Removed 0 sandboxes.\n' })
  })

  it('an engine that does not answer is one clear line', async () => {
    const gone = { DOCKER_HOST: `unix://${join(emptyDir, 'no.sock')}` }
    for (const args of [['up', '--no-install'], ['up', '--detach', '--no-install'], ['up']]) {
      failsWith(await runLab([...args, '--port', '0', '--data', emptyDir], gone), /container engine at DOCKER_HOST .* does not answer/)
    }
    failsWith(await runLab(['images', '--no-install', '--data', emptyDir], gone), 'does not answer')
    failsWith(await runLab(['down', '--data', emptyDir], gone), 'does not answer')
    expect((await runLab(['status', '--data', emptyDir], gone)).stdout).toMatch(/^engine +does not answer$/m)
  })
})

describe('an interrupt', () => {
  it('of up while it checks isolation leaves nothing behind', async () => {
    const { store, docker } = await openInstallation(readConfig({ LAB_DATA_DIR: emptyDir }))
    const filters = { label: [`incident-lab.installation=${store.installation}`] }
    const containers = () => docker.listContainers({ all: true, filters })
    const unchecked = { LAB_SUBNET_POOL: '10.217.0.0/16' } // a check with other settings, which has not passed before
    const starting = startLabProcess(['up', '--port', '0', '--no-install', '--data', emptyDir], unchecked)
    await expect.poll(async () => (await containers()).length).toBeGreaterThan(3)
    starting.child.kill('SIGTERM')
    const { code, stderr } = await starting.ended
    expect([code, stderr.split('\n').slice(-2)]).toEqual([1, ['lab: the start was interrupted (nothing of it is left)', '']])
    expect([await containers(), await docker.listNetworks({ filters })]).toEqual([[], []])
    await store.close()
  })
})

describe('up --detach, until down', () => {
  let url: string
  let token: string
  let squatter: Server

  beforeAll(async () => {
    squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
    const run = await runLab(['up', '--detach', '--no-install', '--port', '0', '--data', dataDir], smallCatalog)
    const [ready = '', link = '', ...rest] = run.stdout.split('\n')
    expect([run.code, ready, rest]).toEqual([0, expect.stringMatching(/^Incident Lab is ready at http:\/\/localhost:\d+$/), ['']])
    url = ready.split(' ').at(-1) ?? ''
    expect(link).toMatch(new RegExp(`^Sign in as the operator, once, within 10 minutes: ${url}/signin#[\\w-]{43}$`))
    expect(await readFile(join(dataDir, 'server.log'), 'utf8')).not.toContain('#')
    token = (await runLab(['token', 'create', '--name', 'cli', '--data', dataDir])).stdout.trim()
  })
  afterAll(() => squatter.close())

  it('serves by the time it returns, to a token made beside it', async () => {
    expect((await createClient(url)('GET', '/api/v1/health')).body.status).toBe('ok')
    const started = await createClient(url, token)('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    expect(started.body.status).toBe('running')
  })

  it('status shows it and exits with 0', async () => {
    const run = await runLab(['status', '--data', dataDir], { LAB_CAPACITY: '7' })
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toMatch(new RegExp(`^server +process \\d+, ${url}, ok, version `, 'm'))
    expect(run.stdout).toMatch(/^sandboxes +1 of 100, 1 on the engine$/m)
  })

  it('config prints the running configuration, and what a restart would change', async () => {
    const { stdout } = await runLab(['config', '--data', dataDir, '--port', '4711'], { ...smallCatalog, LAB_CAPACITY: '7' })
    const [serves = '', ...rest] = stdout.trim().split('\n')
    expect(serves).toMatch(/^# process \d+ serves with$/)
    expect(rest).toEqual(expect.arrayContaining([`LAB_DATA_DIR=${dataDir}`, 'LAB_PORT=0']))
    expect(rest.slice(-3)).toEqual(['# after a restart from here, instead:', '# LAB_PORT=4711', '# LAB_CAPACITY=7'])
  })

  it('a second up on its data directory is refused, and does no harm', async () => {
    const again = [[], ['--detach']].map((extra) => runLab(['up', '--no-install', '--port', '0', '--data', dataDir, ...extra]))
    for (const run of await Promise.all(again)) failsWith(run, `${dataDir} is in use by process`)
    expect((await runLab(['status', '--data', dataDir])).code).toBe(0)
  })

  it('a second up on its port, or any taken port, is refused', async () => {
    const taken = [Number(new URL(url).port), (squatter.address() as { port: number }).port]
    for (const port of taken) {
      for (const extra of [[], ['--detach']]) {
        failsWith(
          await runLab(['up', '--no-install', '--port', String(port), '--data', emptyDir, ...extra]),
          `port ${port} on 127.0.0.1 cannot be used: it is in use`,
        )
      }
    }
    expect((await runLab(['status', '--data', emptyDir])).code).toBe(1)
  })

  it('down stops it, removes its sandboxes, and can be repeated', async () => {
    const { engine, store, docker } = await openInstallation(readConfig({ LAB_DATA_DIR: dataDir }))
    expect(await runLab(['down', '--data', dataDir])).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Stopped the server.\nRemoved 1 sandbox.\n',
    })
    await expect(fetch(`${url}/api/v1/health`)).rejects.toThrow()
    const filters = { label: [`incident-lab.installation=${store.installation}`] }
    expect([await engine.list(), await store.sandboxes.listLive()]).toEqual([[], []])
    expect([await docker.listContainers({ all: true, filters }), await docker.listNetworks({ filters })]).toEqual([[], []])
    await store.close()
    expect(await runLab(['down', '--data', dataDir])).toEqual({ code: 0, stderr: '', stdout: 'Removed 0 sandboxes.\n' })
  })
})
