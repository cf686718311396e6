// Runs a benchmark below bench/ with the project's own Node.

import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { LabError } from '../errors.ts'
import type { Verb } from './main.ts'

const folder = join(import.meta.dirname, '../../bench')

const names = () =>
  globSync('*.ts', { cwd: folder })
    .map((file) => file.replace(/\.ts$/, ''))
    .sort()

export const verb: Verb = (program) => {
  program
    .command('bench <name> [args...]')
    .description(`run a benchmark: ${names().join(', ')}`)
    .action(async (name: string, args: string[]) => {
      const file = join(folder, `${name}.ts`)
      if (!existsSync(file)) throw new LabError('not_found', `there is no benchmark ${name}`, { hint: `one of ${names().join(', ')}` })
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], { stdio: 'inherit' })
      process.exitCode = await new Promise<number>((resolve, reject) => {
        child.once('error', reject)
        child.once('close', (code) => resolve(code ?? 1))
      })
    })
}
