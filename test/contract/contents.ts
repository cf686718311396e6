import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { FileSpec } from '../../src/engine/topology.ts'
import { bareService, useSandbox } from './fixture.ts'

const file = (path: string, content: string | Buffer, executable = false): FileSpec => ({ path, content: Buffer.from(content), executable })

const bytes = randomBytes(300_000)
const files = [
  file('/srv/new/folder/text', 'a line\n'),
  file('/srv/new/bytes', bytes),
  file('/usr/local/bin/hello', '#!/bin/sh\necho "hello $1"\n', true),
  file('/srv/new/späte Fähre', 'ahoi'),
  file('/srv/empty', ''),
  file('/etc/hostname.d/../../etc/motd', 'replaced\n'),
  file('/data/seed/text', 'in the storage\n'),
]

/** Many hard links to one file, in folders with long names. */
const links = `
chdir '/srv' or die;
for (1 .. 12) { mkdir "\\xff" x 255; chdir "\\xff" x 255 or die }
open my $file, '>', 'one'; close $file;
link 'one', "$_" or die for 1 .. 800;`

/** A program that is a file, a link and nothing, one after the other, and a folder that is there and not. */
const churn = `
system 'cp -p /usr/bin/nl /usr/bin/.nl';
my $until = time + 60;
while (time < $until) {
    link '/usr/bin/.nl', '/usr/bin/nl.new';
    rename '/usr/bin/nl.new', '/usr/bin/nl';
    unlink '/usr/bin/nl';
    symlink 'od', '/usr/bin/nl';
    mkdir '/usr/share/perl5/x';
    rmdir '/usr/share/perl5/x';
}`

export const contentsCases = (engine: Engine) => {
  const { at, read, stateOf } = useSandbox(engine, [
    bareService('filed', { files, storage: [{ path: '/data', bytes: 1024 ** 2 }] }),
    bareService('set', {
      environment: { GREETING: 'good morning', EMPTY: '', ODD: 'a=b "c" $d\nnext' },
      command: ['sh', '-c', 'echo "$0 $GREETING" > /begun; exec sleep infinity', 'first  word'],
      sysctls: { 'net.core.somaxconn': '77' },
    }),
    bareService('bare-init', { init: false, command: ['sleep', 'infinity'] }),
    { ...bareService('server'), image: 'python', ready: { http: { url: 'http://server:8000/', status: 200 } } },
    {
      ...bareService('other'),
      image: 'python',
      command: ['python3', '-m', 'http.server', '9000'],
      ready: { tcp: { host: 'other', port: 9000 } },
    },
  ])

  it('files are complete, also in folders that did not exist', async () => {
    expect(await read('filed', 'cat /srv/new/folder/text "/srv/new/späte Fähre"')).toBe('a line\nahoi')
    const copy = await engine.exec(at('filed'), { argv: ['cat', '/srv/new/bytes'], timeoutMs: 20_000, outputBytes: 1024 ** 2 })
    expect(copy.stdout.equals(bytes)).toBe(true)
    expect(await read('filed', 'stat -c %s /srv/empty')).toBe('0\n')
  })

  it('files replace what the image has', async () => {
    expect(await read('filed', 'cat /etc/motd')).toBe('replaced\n')
  })

  it('files and their folders belong to root; only the executable ones can be run', async () => {
    const listed = await read('filed', 'stat -c "%a %u:%g %n" /srv/new /srv/new/folder /srv/new/folder/text /usr/local/bin/hello')
    expect(listed.trim().split('\n')).toEqual([
      '755 0:0 /srv/new',
      '755 0:0 /srv/new/folder',
      '644 0:0 /srv/new/folder/text',
      '755 0:0 /usr/local/bin/hello',
    ])
    expect(await read('filed', 'hello there')).toBe('hello there\n')
  })

  it('what differs from the image is known from outside', async () => {
    const kindsOf = async () => Object.fromEntries(((await engine.changes(at('set'))) ?? []).map(({ path, kind }) => [path, kind]))
    const before = await kindsOf()
    expect(before).toMatchObject({ '/begun': 'added' })
    expect(before).not.toHaveProperty('/bin/more')
    await read('set', 'cd /usr/bin && echo altered >> sed; rm more; echo mine > new; chmod 0700 /usr/share/doc')
    expect(await kindsOf()).toMatchObject({
      '/usr/bin/sed': 'changed',
      '/usr/bin/more': 'deleted',
      '/usr/bin/new': 'added',
      '/usr/share/doc': 'changed',
    })
  })

  it('what is altered and given back its time differs, what was copied or copied back does not, and a folder hides nothing', async () => {
    const kindsOf = async () => Object.fromEntries(((await engine.changes(at('other'))) ?? []).map(({ path, kind }) => [path, kind]))
    const before = await kindsOf()
    await read(
      'other',
      `cd /usr/bin
      touch -r tac /tmp/time; printf X | dd of=tac bs=1 seek=200 conv=notrunc 2>/dev/null; touch -r /tmp/time tac
      chown 0:0 nl; cp -p od /tmp/od; : > od; cat /tmp/od > od
      rm -r /usr/share/dict /usr/share/tabset; mkdir /usr/share/tabset
      ln -sfn nowhere /usr/bin/awk; chmod u+s fold`,
    )
    const now = await kindsOf()
    const found = Object.fromEntries(Object.entries(now).filter(([path]) => before[path] === undefined && path.startsWith('/usr/')))
    expect(found).toEqual({
      '/usr/bin/tac': 'changed',
      '/usr/bin/awk': 'changed',
      '/usr/bin/fold': 'changed',
      '/usr/share/dict': 'deleted',
      ...Object.fromEntries(['std', 'stdcrt', 'vt100', 'vt300'].map((name) => [`/usr/share/tabset/${name}`, 'deleted'])),
    })
  })

  it('a top folder that has become a link, an access list and a mode of a folder of programs are told', async () => {
    await read(
      'server',
      `cp -rs /usr/bin /var/lib/bin; ln -s /var/lib/bin /bin.new; mv -T /bin.new /bin; chmod 777 /usr/sbin; chmod 755 /var/tmp; chmod 700 /opt
      python3 - <<'E'
import os, struct
entries = [(1, 6, 2**32 - 1), (2, 4, 33), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)]
listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
os.chmod("/etc/shells", 0o640); os.setxattr("/etc/shells", "system.posix_acl_access", listed); os.chmod("/etc/issue", 0o640)
os.setxattr("/etc/issue", "system.posix_acl_access", listed); os.removexattr("/etc/issue", "system.posix_acl_access"); os.chmod("/etc/issue", 0o644)
os.setxattr("/usr/share/doc", "system.posix_acl_default", listed)
E`,
    )
    const changed = ((await engine.changes(at('server'))) ?? []).filter(({ kind }) => kind === 'changed')
    expect(changed.flatMap(({ path, opened }) => (opened ? [path] : [])).sort()).toEqual(['/usr/sbin', '/var/tmp'])
    expect(changed.find(({ path }) => path === '/opt')?.rights).toMatch(/^40000 700 \d+ \d+$/)
    const found = changed.map(({ path }) => path)
    expect(found).toEqual(expect.arrayContaining(['/bin', '/usr/sbin', '/etc/shells', '/usr/share/doc']))
    expect(found).not.toContain('/etc/issue')
  })

  it('millions of names cost no more than the first of them', async () => {
    await read(
      'other',
      'perl -e \'mkdir "/var/m"; chdir "/var/m"; for (0 .. 299_999) { if ($_ % 60_000) { link $f, $_ } else { open F, ">", $f = "s$_" } }\'',
    )
    expect(await engine.changes(at('other'))).toBeNull()
  })

  it('programs are looked up in the folders of PATH', async () => {
    expect((await engine.searchPath(at('set'))).join(':')).toBe((await read('set', 'printf %s "$PATH"')).trim())
  })

  it('changes are told while files come, go and become something else', async () => {
    await read('set', 'cat > /tmp/churn.pl; perl /tmp/churn.pl > /dev/null 2>&1 &', { stdin: churn })
    for (let round = 0; round < 300; round += 1) {
      expect(await engine.changes(at('set'))).toContainEqual({ kind: 'deleted', path: '/usr/bin/more' })
    }
    await read('set', 'pkill -f "^perl /tmp/churn"')
  })

  it('changes are null when there are too many, however little disk space they take', async () => {
    await read('filed', 'cat > /tmp/links.pl; perl /tmp/links.pl', { stdin: links })
    expect(await engine.changes(at('filed'))).toBeNull()
    expect(await engine.changes(at('set'))).not.toBeNull()
  })

  it('files arrive in sized storage too', async () => {
    expect(await read('filed', 'cat /data/seed/text')).toBe('in the storage\n')
  })

  it('the environment is that of the service, for its main command and for exec', async () => {
    expect(await read('set', 'printf "%s|%s|%s" "$GREETING" "$EMPTY" "$ODD"')).toBe('good morning||a=b "c" $d\nnext')
    expect(await read('set', 'cat /begun')).toBe('first  word good morning\n')
  })

  it('kernel settings are those of the service', async () => {
    expect(await read('set', 'cat /proc/sys/net/core/somaxconn')).toBe('77\n')
  })

  it('process 1 is an init, or the main command itself', async () => {
    expect((await read('bare-init', 'tr "\\0" " " < /proc/1/cmdline')).trim()).toBe('sleep infinity')
    expect((await read('set', 'ps -o args= -p 1')).trim()).not.toMatch(/^sleep/)
  })

  it("without a command the image's own runs, by its own entrypoint", async () => {
    expect(await read('server', 'ps -eo user=,args= | grep "[h]ttp.server"')).toMatch(/^app\s+python3 -m http.server 8000$/m)
    expect(await read('filed', 'curl -s -o /dev/null -w "%{http_code}" http://server:8000/')).toBe('200')
  })

  it("a command takes the place of the image's own, and keeps the entrypoint", async () => {
    expect(await read('other', 'ps -eo user=,args= | grep "[h]ttp.server"')).toMatch(/^app\s+python3 -m http.server 9000$/m)
    expect(await read('filed', 'curl -s -o /dev/null -w "%{http_code}" http://other:9000/')).toBe('200')
  })

  it('other images have other identities', async () => {
    const [filed, server, other] = [await stateOf('filed'), await stateOf('server'), await stateOf('other')]
    expect(server?.imageId).toBe(other?.imageId)
    expect(server?.imageId).not.toBe(filed?.imageId)
  })
}
