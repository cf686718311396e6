import { expect, it } from 'vitest'
import type { FileChange } from '../engine/engine.ts'
import { changedPrograms, shadowedBy } from './program-files.ts'

const change = (kind: FileChange['kind'], ...paths: string[]): FileChange[] => paths.map((path) => ({ kind, path }))

it.each([
  ['an altered program', change('changed', '/usr/bin/gunicorn'), ['/usr/bin/gunicorn was changed']],
  ['a deleted one', change('deleted', '/usr/sbin/nginx'), ['/usr/sbin/nginx was deleted']],
  ['a new one where packages put theirs', change('added', '/usr/bin/rootbash'), ['/usr/bin/rootbash was added']],
  ['code that every Python runs', change('changed', '/etc/python3.11/sitecustomize.py'), ['/etc/python3.11/sitecustomize.py was changed']],
  ['a new group member', change('changed', '/etc/group'), ['/etc/group was changed']],
  ['an altered entrypoint', change('changed', '/usr/local/bin/supervise'), ['/usr/local/bin/supervise was changed']],
  [
    'a library that every Python loads',
    change('added', '/usr/local/lib/python3.11/dist-packages/x.pth'),
    ['/usr/local/lib/python3.11/dist-packages/x.pth was added'],
  ],
  ["a folder's own mode", change('changed', '/usr/lib/python3'), ['/usr/lib/python3 was changed']],
])('sees %s', (_, changes, expected) => {
  expect(changedPrograms(changes, { mayChange: [], providedFiles: [] })).toEqual(expected)
})

it.each([
  ['configuration, data and logs', change('changed', '/etc', '/etc/nginx/nginx.conf', '/var/log/x', '/srv/app/x.py', '/etc/group-of/x')],
  ["an engineer's own script", change('added', '/usr/local/bin/watch-queue')],
])('lets pass %s', (_, changes) => {
  expect(changedPrograms(changes, { mayChange: [], providedFiles: [] })).toEqual([])
})

it('lets pass what the author says', () => {
  const changes = change('changed', '/usr/local/bin/sweep', '/usr/local/bin/sweeper')
  expect(changedPrograms(changes, { mayChange: ['/usr/local/bin/sweep'], providedFiles: [] })).toEqual([
    '/usr/local/bin/sweeper was changed',
  ])
})

it('ignores the files of the scenario itself, and not others beside them', () => {
  const providedFiles = ['/opt/shop/app.py', '/etc/init.d/shop', '/usr/bin/shop']
  const changes = [...change('added', '/opt/shop', '/opt/shop/app.py', '/opt/shop/x.py'), ...change('changed', '/etc/init.d/shop')]
  expect(changedPrograms([...changes, ...change('deleted', '/usr/bin/shop')], { mayChange: [], providedFiles })).toEqual([
    '/opt/shop/x.py was added',
    '/usr/bin/shop was deleted',
  ])
})

it('knows what a new program may hide', () => {
  const changes = [...change('added', '/usr/local/bin/gunicorn', '/usr/local/share/x'), ...change('changed', '/usr/local/bin/run-as-app')]
  expect(shadowedBy(changes)).toEqual(['/usr/bin/gunicorn', '/usr/sbin/gunicorn', '/bin/gunicorn', '/sbin/gunicorn'])
})
