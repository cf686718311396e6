// The protocol's own conformance suite: the scenarios that any server can pass, without tools made for them.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
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

/** Checks that call diagnostic tools, which only a server made for the suite has: it reports them as not testable. */
const needDiagnosticTools = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]

const program = join(root, 'node_modules/.bin/conformance')

let lab: Lab

beforeAll(async () => {
  lab = await startLab(smallCatalog)
})
afterAll(() => lab?.close())

const rows = Object.entries(scenarios).flatMap(([revision, names]) => names.map((name) => [revision, name] as const))

it.concurrent.each(rows)('%s: %s', async (revision, name) => {
  const args = ['server', '--url', `${lab.url}/api/v1/mcp`, '--scenario', name, '--spec-version', revision, '--timeout', '120000']
  const run = promisify(execFile)(process.execPath, [program, ...args])
  const { stdout } = await run.catch((error: { stdout: string }) => error) // its exit code tells of failed checks
  const report = stripVTControlCharacters(stdout)
  const checks = [...report.matchAll(/\[(\S+) *\] (SUCCESS|FAILURE|WARNING|SKIPPED|INFO)/g)].map(([, id, result]) => ({ id, result }))
  expect(
    checks.some(({ result }) => result === 'SUCCESS'),
    report,
  ).toBe(true)
  const failed = checks.flatMap(({ id = '', result }) => (result === 'FAILURE' ? [id] : []))
  expect(
    failed.filter((id) => !needDiagnosticTools.includes(id)),
    report,
  ).toEqual([])
  expect(report.match(/Not testable: server does not list the diagnostic tool/g)?.length ?? 0, report).toBe(failed.length)
})
