// Creates a scenario from the skeleton.

import { join } from 'node:path'
import { beginScenario } from '../catalog/skeleton.ts'
import type { Verb } from './main.ts'

const scenarios = join(import.meta.dirname, '../../scenarios')

const nextSteps = (id: string) => `scenarios/${id} is a small incident that already passes ./lab prove. Next:
  ./lab lint ${id}      after every change: reports what is wrong, and where
  ./lab prove ${id}     on real containers: healthy, broken, solutions, cheats, leaks
docs/authoring.md explains how to turn it into an incident of your own.`

export const verb: Verb = (program) => {
  program
    .command('new <id>')
    .description('create a scenario: a copy of a small one that already passes ./lab prove')
    .action(async (id: string) => {
      await beginScenario(scenarios, id)
      console.log(nextSteps(id))
    })
}
