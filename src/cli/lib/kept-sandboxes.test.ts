import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { recordOf } from '../../process-file.ts'
import { describeKept, refuseBesideServer } from './kept-sandboxes.ts'

it('says how to enter what was kept, and how to end it', () => {
  const kept = [{ sandbox: 'abc', what: 'scenario-42, cheat stub (seed s)', services: ['ops', 'web', 'app'] }]
  expect(describeKept(kept, 'unix:///run/docker.sock', '/srv/lab')).toEqual([
    '',
    'Kept for a look, as grading left them:',
    '  abc: scenario-42, cheat stub (seed s)',
    '    docker -H unix:///run/docker.sock exec -it ops-abc bash',
    '    and in the same way web-abc, app-abc',
    'End them with ./lab down --data /srv/lab; a server that is started on that directory removes them, too.',
  ])
})

it('says nothing where nothing was kept', () => {
  expect(describeKept([], 'unix:///run/docker.sock', '/srv/lab')).toEqual([])
})

it('a proof is refused beside a server, which would remove its sandboxes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'incident-lab-kept-'))
  try {
    await expect(refuseBesideServer(folder)).resolves.toBeUndefined()
    await writeFile(join(folder, 'server.json'), JSON.stringify(recordOf(process.pid)))
    await expect(refuseBesideServer(folder)).rejects.toMatchObject({ code: 'invalid_request' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
