// The protocol's own conformance suite: the scenarios that any server can pass, without tools made for them.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../support/engine.ts'
import { type Lab, smallCatalog, startLab } from '../support/server.ts'

const scenarios: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'input-required-result-unsupported-methods',
  ],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'resources-list', 'prompts-list'],
}

const program = join(root, 'node_modules/.bin/conformance')

let lab: Lab

beforeAll(async () => {
  lab = await startLab(smallCatalog)
})
afterAll(() => lab?.close())

const rows = Object.entries(scenarios).flatMap(([revision, names]) => names.map((name) => [revision, name] as const))

it.concurrent.each(rows)('%s: %s', async (revision, name) => {
  const args = ['server', '--url', `${lab.url}/api/v1/mcp`, '--scenario', name, '--spec-version', revision, '--timeout', '120000']
  const run = promisify(execFile)(process.execPath, [program, ...args], { env: { NO_COLOR: '1' } })
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  expect(stdout).toMatch(/0 failed/)
})
