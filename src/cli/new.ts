// Creates a scenario from the skeleton.

import { relative } from 'node:path'
import { beginScenario } from '../catalog/skeleton.ts'
import { readConfig } from '../config.ts'
import { catalogFoldersOf } from '../project-folders.ts'
import type { Verb } from './main.ts'

const nextSteps = (
  id: string,
  folder: string,
) => `${relative(process.cwd(), folder)} is a small incident that already passes ./lab prove. Next:
  ./lab lint ${id}      after every change: reports what is wrong, and where
  ./lab prove ${id}     on real containers: healthy, broken, solutions, cheats, leaks
docs/authoring.md explains how to turn it into an incident of your own.`

export const verb: Verb = (program) => {
  program
    .command('new <id>')
    .description('create a scenario: a copy of a small one that already passes ./lab prove')
    .action(async (id: string) => {
      const own = catalogFoldersOf(readConfig()).at(-1) as string
      console.log(nextSteps(id, await beginScenario(own, id)))
    })
}
