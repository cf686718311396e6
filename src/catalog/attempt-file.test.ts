import { expect, it } from 'vitest'
import { commandsOf, type Solution } from './attempt-file.ts'

const problemAt = () => {
  throw new Error('nothing is wrong here')
}
const solution = (name: string, steps: Solution['steps']): Solution => ({ name, description: name, steps, problemAt })
const repair = solution('reference', [{ in: ['app-1', 'app-2'], run: 'listen {{port}}' }])

it('does a step in every service that it names, with the parameters of the session', () => {
  expect(commandsOf(repair, { port: 8000 })).toEqual([
    { in: 'app-1', run: 'listen 8000' },
    { in: 'app-2', run: 'listen 8000' },
  ])
})

it('does a cheat after the repair that it spoils', () => {
  const cheat = { ...solution('spoilt', [{ in: 'db', run: 'delete' }]), after: repair }
  expect(commandsOf(cheat, { port: 8000 }).map((step) => step.in)).toEqual(['app-1', 'app-2', 'db'])
})
