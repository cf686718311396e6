// Prints a script with which a shell completes verbs, options and courses.

import type { Command } from 'commander'
import { scenarioFolders } from '../catalog/catalog.ts'
import { LabError } from '../errors.ts'
import { catalogFoldersOf } from '../project-folders.ts'
import { type CompletedVerb, completionScript, type Shell, shells } from './lib/completion-scripts.ts'
import { configOf } from './lib/options.ts'
import type { Verb } from './main.ts'

/** Verbs that take a course or a scenario. */
const takesCourse = (command: Command) => command.registeredArguments.some((argument) => /^(course|scenario|sandbox)/.test(argument.name()))

const describe = (command: Command, courses: readonly string[]): CompletedVerb => {
  const below = command.commands.map((sub) => sub.name())
  const options = [command, ...command.commands].flatMap((each) => each.options.flatMap(({ long }) => long ?? []))
  return {
    name: command.name(),
    description: command.description(),
    options: [...new Set([...options, '--help'])],
    words: [...below, ...(takesCourse(command) ? courses : []), ...(command.name() === 'completion' ? shells : [])],
  }
}

export const verb: Verb = (program) => {
  program
    .command('completion <shell>')
    .description(`print a completion script for ${shells.join(', ')}; source it in your shell`)
    .action(async (shell: string) => {
      if (!(shells as readonly string[]).includes(shell)) {
        throw new LabError('invalid_request', `there is no completion for ${shell}`, { hint: `one of ${shells.join(', ')}` })
      }
      const courses = [...(await scenarioFolders(catalogFoldersOf(configOf({})))).keys()]
      process.stdout.write(
        completionScript(
          shell as Shell,
          program.commands.filter((command) => command.name() !== 'help').map((command) => describe(command, courses)),
        ),
      )
    })
}
