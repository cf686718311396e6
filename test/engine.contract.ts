// The conformance suite of the engine port. Every implementation must pass it unchanged.
// The engine finds the images `probe` and `python` in the project's images folder.

import { afterAll, beforeAll, describe } from 'vitest'
import { contentsCases } from './contract/contents.ts'
import { diskCases } from './contract/disk.ts'
import { execCases } from './contract/exec.ts'
import { bareService, type EngineUnderTest, execWays, useSandbox, viewSandbox } from './contract/fixture.ts'
import { lifecycleCases } from './contract/lifecycle.ts'
import { limitsCases } from './contract/limits.ts'
import { networkCases } from './contract/networks.ts'
import { restartCases } from './contract/restart.ts'
import { terminalCases } from './contract/terminal.ts'
import { timeoutCases } from './contract/timeout.ts'
import { watcherCases } from './contract/watchers.ts'

const buildMinutes = 15

export const engineContract = (name: string, createEngine: () => EngineUnderTest) => {
  describe(`${name} keeps the contract of an engine`, () => {
    const { engine, cleanUp } = createEngine()
    beforeAll(async () => {
      await engine.ping()
      await engine.prepare(() => undefined)
      await engine.ensureImages(['probe', 'python'], () => undefined)
    }, buildMinutes * 60_000)
    afterAll(cleanUp)

    describe('life of a sandbox', () => lifecycleCases(engine))
    describe('contents of a service', () => contentsCases(engine))
    describe('work in a service', () => {
      const sandbox = useSandbox(engine, [
        bareService('one', { environment: { PLACE: 'harbour' }, pids: 256 }),
        bareService('done', { command: ['true'] }),
      ])
      describe.each(execWays(engine))('by %s', (_, way) => {
        const view = viewSandbox(way, sandbox.id, sandbox.deadline)
        describe('a command', () => execCases(way, view))
        describe('a command out of time', () => timeoutCases(way, view))
      })
      describe('terminal', () => terminalCases(engine, sandbox))
    })
    describe('probe and inspector', () => watcherCases(engine))
    describe('restart and storage', () => restartCases(engine))
    describe('limits', () => limitsCases(engine))
    describe('several networks', () => networkCases(engine))
    describe('the disk', () => diskCases(engine))
  })
}
