// Enforces ARCHITECTURE.md: which folders may import which, and which packages and calls are used in one place only.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../src/run-program.ts'
import { root } from './support/engine.ts'

const src = join(root, 'src')
const files = globSync('**/*.ts', { cwd: src }).filter((path) => !path.endsWith('.test.ts'))

interface Import {
  readonly from: string
  /** A path below src/, or the name of a package. */
  readonly to: string
}

const importsOf = (path: string): Import[] => {
  const text = readFileSync(join(src, path), 'utf8')
  const found = [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => (match[1] ?? match[2] ?? match[3]) as string,
  )
  return found.map((to) => ({ from: path, to: to.startsWith('.') ? relative(src, join(src, dirname(path), to)) : to }))
}

const imports = files.flatMap(importsOf)
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] as string) : '')
const edges = ['http', 'mcp', 'cli']
/** Of an engine, all that others know. */
const port = ['engine/engine.ts', 'engine/topology.ts']
const features = ['probes', 'data-stores', 'catalog', 'sandboxes', 'grading', 'proofs', 'accounts', 'commerce']

const breaches = (isBreach: (entry: Import) => boolean) => imports.filter(isBreach).map(({ from, to }) => `${from} -> ${to}`)
const usersOfPackage = (name: string) => imports.filter(({ to }) => to === name || to.startsWith(`${name}/`)).map(({ from }) => from)
const isPackage = (to: string) => !to.endsWith('.ts')

describe('direction of imports', () => {
  it('is known for every folder', () => {
    const known = new Set(['', ...edges, ...features, 'engine', 'store', 'contract', 'client'])
    expect(files.map(folderOf).filter((folder) => !known.has(folder))).toEqual([])
    expect(imports.length).toBeGreaterThan(100)
  })

  it('lets features know neither edges nor the inside of an engine', () => {
    expect(
      breaches(
        ({ from, to }) =>
          features.includes(folderOf(from)) && (edges.includes(folderOf(to)) || (to.startsWith('engine/') && !port.includes(to))),
      ),
    ).toEqual([])
  })

  it('lets engine and store know no feature and no edge, and not each other', () => {
    const above = [...features, ...edges]
    expect(breaches(({ from, to }) => ['engine', 'store'].includes(folderOf(from)) && above.includes(folderOf(to)))).toEqual([])
    expect(breaches(({ from, to }) => folderOf(from) === 'engine' && folderOf(to) === 'store')).toEqual([])
    expect(breaches(({ from, to }) => folderOf(from) === 'store' && folderOf(to) === 'engine')).toEqual([])
  })

  it('keeps edges apart', () => {
    expect(
      breaches(({ from, to }) => edges.includes(folderOf(from)) && edges.includes(folderOf(to)) && folderOf(from) !== folderOf(to)),
    ).toEqual([])
  })

  it('lets only the composition root and the command line choose an engine', () => {
    expect(
      breaches(
        ({ from, to }) => to.startsWith('engine/docker/') && !from.startsWith('engine/docker/') && !['', 'cli'].includes(folderOf(from)),
      ),
    ).toEqual([])
  })

  it('lets the contract import zod and itself only', () => {
    expect(breaches(({ from, to }) => folderOf(from) === 'contract' && to !== 'zod' && folderOf(to) !== 'contract')).toEqual([])
  })

  it('lets the client know the contract and no more', () => {
    expect(
      breaches(({ from, to }) => folderOf(from) === 'client' && !isPackage(to) && !['', 'contract', 'client'].includes(folderOf(to))),
    ).toEqual([])
  })

  it('lets files at the root import no folder but the contract, except the composition root', () => {
    const composition = ['main.ts', 'installation.ts', 'features.ts']
    expect(
      breaches(
        ({ from, to }) =>
          folderOf(from) === '' && !composition.includes(from) && !isPackage(to) && !['', 'contract'].includes(folderOf(to)),
      ),
    ).toEqual([])
    const mayKnow = (from: string, to: string) => [...(to === 'features.ts' ? edges : ['cli']), ''].includes(folderOf(from))
    expect(breaches(({ from, to }) => composition.includes(to) && !mayKnow(from, to))).toEqual([])
    expect(breaches(({ from, to }) => from === 'features.ts' && edges.includes(folderOf(to)))).toEqual([])
  })
})

describe('the web app', () => {
  const web = join(root, 'web/src')
  const sources = globSync('**/*.{ts,tsx}', { cwd: web }).filter((path) => !/\.test\.tsx?$/.test(path))
  const textOf = (path: string) => readFileSync(join(web, path), 'utf8')

  it('knows the client, the contract and the errors of the service, and nothing else of it', () => {
    const outside = sources.flatMap((path) =>
      [...textOf(path).matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)]
        .map((match) => relative(root, join(web, dirname(path), (match[1] ?? match[2]) as string)))
        .filter((to) => !to.startsWith('web/src/')),
    )
    expect(outside.length).toBeGreaterThan(5)
    expect(outside.filter((to) => !/^src\/(?:client|contract)\/|^src\/errors\.ts$/.test(to))).toEqual([])
  })

  it('talks to the service through the client only, and makes no markup of text', () => {
    const using = (pattern: RegExp) => sources.filter((path) => pattern.test(textOf(path)))
    expect(using(/\bfetch\(|XMLHttpRequest|EventSource/)).toEqual([])
    expect(using(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/)).toEqual([])
  })

  it('is made of small files, each of which says what it is', () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(sources.filter((path) => !textOf(path).startsWith('//'))).toEqual([])
    expect(sources.filter((path) => textOf(path).split('\n').length > 200)).toEqual([])
  })

  it('is known to the service by its built files only', () => {
    expect(breaches(({ to }) => to.startsWith('../web'))).toEqual([])
    expect(usersOfPackage('preact').concat(usersOfPackage('vite'))).toEqual([])
  })
})

/** Files with circular imports. */
const circles = (): string[] => {
  const next = Map.groupBy(imports, ({ from }) => from)
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    (next.get(from) ?? []).some(({ to }) => to === wanted || (!seen.has(to) && reaches(to, wanted, seen.add(to))))
  return files.filter((file) => reaches(file, file))
}

describe('the structure', () => {
  it('has no circular imports', () => {
    expect(circles()).toEqual([])
  })

  it('lets what is graded know nothing of how it is started, run or proven', () => {
    const order = ['probes', 'data-stores', 'catalog', 'grading', 'sandboxes', 'proofs']
    const isUp = (from: string, to: string) => order.indexOf(to) > order.indexOf(from) && order.includes(from)
    expect(breaches(({ from, to }) => isUp(folderOf(from), folderOf(to)))).toEqual([])
  })

  it('lets accounts know no other feature, and only those that need a caller or its plan know accounts', () => {
    const others = features.filter((name) => name !== 'accounts')
    expect(breaches(({ from, to }) => folderOf(from) === 'accounts' && others.includes(folderOf(to)))).toEqual([])
    const users = [...edges, '', 'accounts', 'commerce', 'sandboxes', 'grading']
    expect(breaches(({ from, to }) => folderOf(to) === 'accounts' && !users.includes(folderOf(from)))).toEqual([])
  })

  it('lets only the command line know the client', () => {
    expect(breaches(({ from, to }) => folderOf(to) === 'client' && !['client', 'cli'].includes(folderOf(from)))).toEqual([])
  })

  it('is made of small files, each of which says what it is', () => {
    const lengths = files.map((path) => readFileSync(join(src, path), 'utf8').split('\n').length).sort((a, b) => a - b)
    expect(lengths.at(-1)).toBeLessThanOrEqual(300)
    expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThan(170)
    expect(files.filter((path) => !readFileSync(join(src, path), 'utf8').startsWith('//'))).toEqual([])
  })
})

describe('one place for each', () => {
  const usersOf = (name: string) => [...new Set(usersOfPackage(name))]
  const filesWith = (pattern: RegExp) => files.filter((path) => pattern.test(readFileSync(join(src, path), 'utf8')))

  it.each([
    ['dockerode', 'engine/docker/'],
    ['kysely', 'store/'],
    ['pg', 'store/'],
    ['fastify', 'http/'],
    ['commander', 'cli/'],
    ['yaml', 'catalog/'],
    ['openid-client', 'accounts/sign-in/'],
    ['stripe', 'commerce/providers/'],
  ])('%s is imported below %s only', (name, folder) => {
    const users = usersOf(name)
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter((path) => !path.startsWith(folder))).toEqual([])
  })

  it('grading runs commands in the way that users cannot tamper with', () => {
    expect(filesWith(/engine\.execDirect\(/).filter((path) => path.startsWith('probes/'))).not.toEqual([])
    expect(filesWith(/engine\.exec\b/).filter((path) => !path.startsWith('sandboxes/'))).toEqual([])
  })

  it('the environment is read in config.ts', () => {
    expect(filesWith(/process\.env/)).toEqual(['config.ts'])
  })

  it('the time of day is read in clock.ts', () => {
    expect(filesWith(/Date\.now\(|new Date\(\)/)).toEqual(['clock.ts'])
  })

  it('commands and settings of the operator are named to operators only, not in what callers are told', () => {
    const toCallers = ['http', 'mcp', 'accounts', 'commerce', 'sandboxes', 'grading']
    const told = filesWith(/^(?!\s*(?:\/\/|\*|\/\*\*)).*(?:\.\/lab |LAB_[A-Z$])/m).filter((path) => toCallers.includes(folderOf(path)))
    const toOperators = [
      'accounts/sign-in/providers.ts',
      'commerce/providers/providers.ts',
      'http/routes/sign-in.ts',
      'http/routes/tokens.ts',
    ]
    expect(told.sort()).toEqual(toOperators)
  })

  it('the composition root stays short', () => {
    expect(readFileSync(join(src, 'main.ts'), 'utf8').split('\n').length).toBeLessThanOrEqual(120)
  })
})

describe('tools agree', () => {
  const node = process.execPath
  it('the linter and the formatter are content', async () => {
    await expect(
      run(node, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', root]),
    ).resolves.toBeTypeOf('string')
  })
  it.each(['.', 'web'])('the types hold in %s', async (folder) => {
    await expect(run(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', join(root, folder)])).resolves.toBeTypeOf('string')
  })
})
