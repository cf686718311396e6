import { describe, expect, it } from 'vitest'
import { isBackupCopy } from './backup-copies.ts'

const files = [
  '/etc/shop',
  '/etc/shop/shop.conf',
  '/etc/nginx/conf.d/shop.conf',
  '/etc/unbound/unbound.conf.d/shop.conf',
  '/etc/nginx/sites-enabled/shop',
  '/etc/nginx/modules.d/shop',
  '/etc/sv/wal',
  '/etc/sv/wal/run',
  '/etc/service/wal',
  '/etc/runit/runsvdir/default/wal',
  '/etc/cron.daily/shop',
  '/var/spool/cron/crontabs/root',
  '/srv/www',
  '/srv/www/index.html',
  '/srv/www/css',
  '/srv/www/css/shop.css',
]
const before = Object.fromEntries(files.map((path) => [path, `digest of ${path}`]))
const isCopy = (path: string, digest = 'another') => isBackupCopy(path, before, { ...before, [path]: digest })

it.each([
  '/etc/shop/shop.conf.bak',
  '/etc/shop/shop.conf~',
  '/etc/shop/shop.conf-old2',
  '/etc/nginx/conf.d/shop.conf.bak',
  '/etc/unbound/unbound.conf.d/shop.conf.orig',
  '/etc/nginx/conf.d.orig/shop.conf',
  '/etc/shop.save',
  '/etc/sv/wal/run.bak',
  '/etc/sv.bak/wal/run',
  '/srv/www.old/index.html',
])('%s is a copy', (path) => expect(isCopy(path)).toBe(true))

it.each(['/etc/shop/env.bak', '/etc/shop/shop.conf', '/etc/shop/bak', '/etc/shop/shop.conf.bakery'])('%s is none', (path) =>
  expect(isCopy(path)).toBe(false),
)

it.each([
  '/etc/nginx/sites-enabled/shop.bak',
  '/etc/nginx/modules.d/shop-old',
  '/etc/sv/wal.bak',
  '/etc/sv/wal.bak/run',
  '/etc/sv/wal.bak/run.bak',
  '/etc/service/wal.bak',
  '/etc/runit/runsvdir/default/wal.bak',
  '/etc/cron.daily/shop-bak',
  '/var/spool/cron/crontabs/root.old',
])('%s is more than a copy: it would be run or read', (path) => expect(isCopy(path, before[path])).toBe(false))

describe('what is served', () => {
  it.each([
    ['/srv/www/index.html.bak', '/srv/www/index.html'],
    ['/srv/www/css.old', '/srv/www/css'],
    ['/srv/www/css.old/shop.css', '/srv/www/css/shop.css'],
  ])('%s is a copy while it is as its original was', (path, original) => {
    expect([isCopy(path, before[original]), isCopy(path)]).toEqual([true, false])
  })

  it('is no copy of what was not there', () => {
    expect(isCopy('/srv/www/css.old/dump.sql')).toBe(false)
  })
})
