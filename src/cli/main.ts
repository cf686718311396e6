// The command line: one file per verb beside this one, found by its name. Errors are one line; usage errors exit with 2.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { cacheHelp, readCachedHelp } from './lib/help-cache.ts'

const folder = import.meta.dirname

/** What every verb's file exports as `verb`. */
export type Verb = (program: Command) => void

const verbNames = async (): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') && entry.name !== 'main.ts')
    .map((entry) => entry.name.replace(/\.ts$/, ''))
    .sort()

const load = async (name: string): Promise<Verb> => ((await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as { verb: Verb }).verb

const usageError = 2

/** Packages are loaded only when they are needed: the list of verbs is there at once. */
const createProgram = async (names: readonly string[]): Promise<Command> => {
  const [{ Command }, { version }] = await Promise.all([import('commander'), import('../version.ts')])
  const program = new Command('lab')
    .description('Real, isolated, broken systems to repair, and a proof of the repair.')
    .version(version)
    .helpCommand('help [verb]', 'explain a verb')
    .showHelpAfterError('(./lab help lists the verbs)')
    .exitOverride()
  for (const name of names) (await load(name))(program)
  for (const command of program.commands) command.exitOverride()
  return program
}

const printHelp = async (names: readonly string[]): Promise<void> => {
  const columns = process.stdout.columns ?? 80
  const kept = readCachedHelp(columns)
  if (kept !== null) return void process.stdout.write(kept)
  const text = (await createProgram(names)).helpInformation()
  cacheHelp(columns, text)
  process.stdout.write(text)
}

const refuseVerb = async (wrong: string, names: readonly string[]): Promise<void> => {
  const { closestWords } = await import('../closest-word.ts')
  const near = closestWords(wrong, names)
  const suggestion = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
  process.stderr.write(`lab: there is no verb ${JSON.stringify(wrong)}${suggestion} (./lab help lists the verbs)\n`)
  process.exitCode = usageError
}

const helpWords = ['help', '--help', '-h']

const run = async (args: readonly string[]): Promise<void> => {
  const names = await verbNames()
  const [first, second] = args
  if (first === undefined || (helpWords.includes(first) && second === undefined)) return printHelp(names)
  const wanted = first === 'help' ? second : first
  if (wanted !== undefined && !wanted.startsWith('-') && !names.includes(wanted)) return refuseVerb(wanted, names)
  // completion knows all others
  const program = await createProgram(wanted === 'completion' || wanted === undefined || wanted.startsWith('-') ? names : [wanted])
  await program.parseAsync([...args], { from: 'user' })
}

const complain = async (error: unknown): Promise<void> => {
  const [{ CommanderError }, { isLabError, messageOf }] = await Promise.all([import('commander'), import('../errors.ts')])
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : usageError
    return
  }
  const hint = isLabError(error) && error.hint !== undefined ? ` (${error.hint})` : ''
  process.stderr.write(`lab: ${messageOf(error)}${hint}\n`)
  process.exitCode = 1
}

await run(process.argv.slice(2)).catch(complain)
