import { expect, it } from 'vitest'
import { isKeptCopy } from './kept-copies.ts'

const before = ['/etc/shop', '/etc/shop/shop.conf', '/etc/nginx/conf.d/shop.conf', '/etc/nginx/sites-enabled/shop']

it.each([
  '/etc/shop/shop.conf.bak',
  '/etc/shop/shop.conf~',
  '/etc/shop/shop.conf-old2',
  '/etc/nginx/conf.d.orig/shop.conf',
  '/etc/shop.save',
])('%s is a copy', (path) => expect(isKeptCopy(path, before)).toBe(true))

it.each(['/etc/shop/env.bak', '/etc/shop/shop.conf', '/etc/nginx/sites-enabled/shop.bak', '/etc/shop/bak', '/etc/shop/shop.conf.bakery'])(
  '%s is none',
  (path) => expect(isKeptCopy(path, before)).toBe(false),
)
