// The command line: one file per verb beside this one, found by its name. Errors are one line; usage errors exit with 2.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command, CommanderError } from 'commander'
import { isLabError, messageOf } from '../errors.ts'
import { version } from '../version.ts'

const folder = import.meta.dirname

/** What every verb's file exports as `verb`. */
export type Verb = (program: Command) => void

const verbNames = async (): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') && entry.name !== 'main.ts')
    .map((entry) => entry.name.replace(/\.ts$/, ''))
    .sort()

const load = async (name: string): Promise<Verb> => ((await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as { verb: Verb }).verb

const run = async (args: readonly string[]): Promise<void> => {
  const program = new Command('lab')
    .description('Real, isolated, broken systems to repair, and a proof of the repair.')
    .version(version)
    .helpCommand('help [verb]', 'explain a verb')
    .showHelpAfterError('(./lab help lists the verbs)')
    .exitOverride()
  const names = await verbNames()
  const wanted = names.find((name) => name === args[0])
  for (const name of wanted === undefined ? names : [wanted]) (await load(name))(program)
  for (const command of program.commands) command.exitOverride()
  if (args.length === 0) return program.outputHelp()
  await program.parseAsync([...args], { from: 'user' })
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
  } else {
    const hint = isLabError(error) && error.hint !== undefined ? ` (${error.hint})` : ''
    process.stderr.write(`lab: ${messageOf(error)}${hint}\n`)
    process.exitCode = 1
  }
}
