import { expect, it } from 'vitest'
import { ofOwnMachine } from '../catalog/program-paths.ts'
import type { FileChange } from '../engine/engine.ts'
import { changedFolders, changedPrograms, intactPaths, shadowedBy } from './program-files.ts'

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
  [
    'a top folder that is another now',
    change('changed', '/bin', '/opt', '/etc'),
    ['/bin was changed', '/opt was changed', '/etc was changed'],
  ],
  [
    'what programs load',
    change('added', '/etc/gss/mech.d/x.conf', '/etc/perl/strict.pm'),
    ['/etc/gss/mech.d/x.conf was added', '/etc/perl/strict.pm was added'],
  ],
  ['what a supervisor starts', change('added', '/etc/service/x', '/etc/cron.d/x'), ['/etc/service/x was added', '/etc/cron.d/x was added']],
  ['another program behind a name', change('changed', '/etc/alternatives/awk'), ['/etc/alternatives/awk was changed']],
  [
    'other settings of a library',
    change('changed', '/etc/ssl/openssl.cnf', '/etc/ssl'),
    ['/etc/ssl/openssl.cnf was changed', '/etc/ssl was changed'],
  ],
  [
    'a library that every Perl loads',
    change('added', '/usr/local/share/perl/5.36.0/strict.pm'),
    ['/usr/local/share/perl/5.36.0/strict.pm was added'],
  ],
  ['a folder of programs that is new', change('added', '/usr/local/sbin'), ['/usr/local/sbin was added']],
  [
    'a library that every Python of a user loads',
    change('added', '/home/app/.local/lib/python3.11/site-packages/usercustomize.py'),
    ['/home/app/.local/lib/python3.11/site-packages/usercustomize.py was added'],
  ],
  ["a folder's own mode", change('changed', '/usr/lib/python3'), ['/usr/lib/python3 was changed']],
])('sees %s', (_, changes, expected) => {
  expect(changedPrograms(changes, { mayChange: [], providedFiles: [] })).toEqual(expected)
})

it.each([
  [
    'configuration, data and logs',
    change('changed', '/etc/nginx/nginx.conf', '/var/log/x', '/srv/app/x.py', '/etc/group-of/x', '/etc/ssl/certs/x.pem'),
  ],
  ["an engineer's own script", change('added', '/usr/local/bin/watch-queue')],
])('lets pass %s', (_, changes) => {
  expect(changedPrograms(changes, { mayChange: [], providedFiles: [] })).toEqual([])
})

it.each([
  ['with every init script', '/etc/lsb-base-logging.sh'],
  ['with the init script of a program', '/etc/default/mosquitto'],
  ['with every init script that reads how a machine starts', '/etc/default/rcS'],
  ['with the next shell', '/etc/bash.bashrc'],
  ['at a completion', '/etc/bash_completion.d/sv'],
  ['at a key', '/etc/inputrc'],
  ['with the next psql', '/etc/postgresql-common/psqlrc'],
  ['with the next editor', '/etc/vim/vimrc.local'],
  ['when logs rotate', '/etc/logrotate.d/app'],
  ['at the next lookup of a name', '/etc/nsswitch.conf'],
])('sees what runs %s: %s', (_, path) => {
  for (const kind of ['added', 'changed'] as const)
    expect(changedPrograms(change(kind, path), { mayChange: [], providedFiles: [] })).toEqual([`${path} was ${kind}`])
})

it.each(['.bak', '~', '.before', '-old2', '_orig'])(
  'lets pass a copy that is kept beside the settings of an init script: etcd%s',
  (end) => {
    const changes = change('added', `/etc/default/etcd${end}`)
    expect(changedPrograms(changes, { mayChange: ['/etc/default/etcd'], providedFiles: [] })).toEqual([])
  },
)

it.each(['/root/.bashrc', '/root/.inputrc', '/etc/bash.bashrc', '/etc/vim/vimrc.local'])('lets %s pass on the workstation', (path) => {
  expect(changedPrograms(change('changed', path), { mayChange: ofOwnMachine, providedFiles: [] })).toEqual([])
})

it.each([
  '/root/.bashrc',
  '/root/.inputrc',
  '/root/.vimrc',
  '/home/app/.curlrc',
  '/home/app/.ssh/authorized_keys',
  '/var/lib/postgresql/.psqlrc',
  '/var/spool/cron/crontabs/root',
  '/var/log/app/config',
])('sees what runs with the next session, job or log: %s', (path) => {
  expect(changedPrograms(change('added', path), { mayChange: [], providedFiles: [] })).toEqual([`${path} was added`])
  expect(
    changedPrograms(change('added', path.replace('/.', '/').replace('spool', 'pool').replace('config', 'app.log')), {
      mayChange: [],
      providedFiles: [],
    }),
  ).toEqual([])
})

it('sees folders of the image with another owner or mode than while healthy', () => {
  const changes = [
    { kind: 'changed' as const, path: '/var/lib/bind', rights: '40000 555 100101 100101' },
    { kind: 'changed' as const, path: '/run/postgresql', rights: '40000 2775 100100 100102' },
    { kind: 'changed' as const, path: '/srv/app', rights: '40000 700 0 0' },
    { kind: 'changed' as const, path: '/etc/app.conf' },
  ]
  expect(changedFolders(changes, { '/run/postgresql': '40000 2775 100100 100102' }, ['/srv/app'])).toEqual(['/var/lib/bind'])
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

it('knows what a new program may hide, wherever the service looks for programs', () => {
  const changes = [
    ...change('added', '/usr/local/bin/psql', '/usr/local/share/x', '/srv/bin/deep/x'),
    ...change('changed', '/usr/local/bin/run-as-app'),
  ]
  expect(shadowedBy(changes, ['/usr/local/bin', '/usr/bin', '/usr/lib/postgresql/15/bin', '/srv/bin'])).toEqual([
    '/usr/local/sbin/psql',
    '/usr/sbin/psql',
    '/usr/bin/psql',
    '/sbin/psql',
    '/bin/psql',
    '/usr/lib/postgresql/15/bin/psql',
    '/srv/bin/psql',
  ])
})

it('programs that the scenario provides must stay as they were', () => {
  const providedFiles = ['/usr/local/sbin/machine', '/srv/shop/app.py', '/opt/shop/run', '/etc/init.d/shop']
  expect(intactPaths({ intact: ['/etc/nginx', '/opt'], providedFiles })).toEqual([
    '/etc/nginx',
    '/opt',
    '/usr/local/sbin/machine',
    '/etc/init.d/shop',
  ])
})
