// Mutation testing of the grader on real containers, on the small course: damages that it finds, one planted that it cannot know, one whose
// script does nothing, and a harmless change.

import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { systemClock } from '../src/clock.ts'
import type { Candidate, ChangeKind } from '../src/proofs/changes/change-kind.ts'
import { measure } from '../src/proofs/changes/measure.ts'
import { fairnessRecordOf, mutationRecordOf } from '../src/proofs/changes/score.ts'
import { harmlessKinds } from '../src/proofs/fairness/harmless-kinds.ts'
import { damageKinds } from '../src/proofs/mutations/damage-kinds.ts'
import { createSemaphore } from '../src/semaphore.ts'
import { createTestEngine, root } from './support/engine.ts'

const { engine, cleanUp } = createTestEngine()
const scenario = (await loadCatalog(join(root, 'test/catalog'))).find('scenario-01')
const deps = { engine, clock: systemClock, loadSemaphore: createSemaphore(1) }
const content = { scenario: 'folder', grading: 'code' }

/** The candidates of a class that have one of these names. */
const some = (kinds: ReadonlyMap<string, ChangeKind>, name: string, ...wanted: string[]): [string, ChangeKind] => {
  const { means, candidates } = kinds.get(name) as ChangeKind
  return [
    name,
    { means, candidates: (subject, random) => candidates(subject, random).filter((candidate) => wanted.includes(candidate.name)) },
  ]
}

const planted = (...candidates: Candidate[]): [string, ChangeKind] => [
  'planted',
  { means: 'what a test needs', candidates: () => candidates },
]

beforeAll(async () => {
  await engine.ensureImages(['probe', ...scenario.images], () => undefined)
  await engine.prepare(() => undefined)
})
afterAll(cleanUp)

it('kills what is seen, tells what survives, and does not count what was not done', async () => {
  const kinds = new Map([
    some(damageKinds, 'access', 'web: a second account of root'),
    some(damageKinds, 'ownership', 'web: everybody may write /srv/www/notes.txt'),
    planted(
      { name: 'notes are lost', steps: [{ in: 'web', run: 'rm /srv/www/notes.txt' }] },
      { name: 'something that nobody looks at', steps: [{ in: 'ops', run: 'touch /root/unseen' }] },
      { name: 'what cannot be done', steps: [{ in: 'web', run: 'rm /srv/www/there-is-no-such-file' }] },
      { name: 'what is known to do no harm', steps: [{ in: 'web', run: 'true' }] },
    ),
  ])
  const isDeclared = ({ name }: { name: string }) => name === 'planted: what is known to do no harm'
  const measured = await measure(deps, scenario, kinds, { seed: 'fixed', count: 9 }, { jobs: 2, isDeclared })
  const outcomes = Object.fromEntries(
    measured.tried.map(({ change, outcome, detail }) => [change.name, `${outcome}, ${detail.split(':')[0]}`]),
  )
  expect(outcomes).toEqual({
    'access: web: a second account of root': 'marked down, topology_intact',
    'ownership: web: everybody may write /srv/www/notes.txt': 'marked down, safeguards_kept',
    'planted: notes are lost': 'marked down, data_preserved',
    'planted: something that nobody looks at': 'full marks, 100 points',
    'planted: what cannot be done': 'not applied, exit code 1 in web',
  })
  expect(mutationRecordOf(measured, content)).toMatchObject({
    ...{ seed: 'fixed', mutants: 4, killed: 3, declared: 1, survivors: ['planted: something that nobody looks at'] },
    by_class: { planted: { mutants: 2, killed: 1, declared: 1 } },
  })
  expect(await engine.list()).toEqual([])
})

it('lets a harmless change pass', async () => {
  const kinds = new Map([some(harmlessKinds, 'restarts', 'web is restarted')])
  const measured = await measure(deps, scenario, kinds, { seed: 'fixed', count: 1 }, { jobs: 1 })
  expect(fairnessRecordOf(measured, content)).toMatchObject({ changes: 1, passed: 1, failures: [] })
})
