import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createHosts } from '../hosts.ts'
import { isFromAnotherPage, isFromOwnPage } from './same-origin.ts'

const hosts = createHosts({
  publicUrl: 'https://lab.example',
  directUrl: 'https://direct.example',
  allowedOrigins: ['https://friend.example'],
  localUrl: () => 'http://localhost:8080',
})
const sent = (headers: Record<string, string>) => ({ headers, socket: { localPort: 8080 } }) as unknown as IncomingMessage

describe('a request', () => {
  it.each([
    ['of the same origin', { 'sec-fetch-site': 'same-origin' }, true],
    ['that a person typed in', { 'sec-fetch-site': 'none' }, true],
    ['of the same origin that names it', { 'sec-fetch-site': 'same-origin', origin: 'https://lab.example' }, true],
    ['of the same origin behind a proxy with another name', { 'sec-fetch-site': 'same-origin', origin: 'https://proxy.example' }, true],
    ['that a person typed in on a page of another origin', { 'sec-fetch-site': 'none', origin: 'https://evil.example' }, false],
    ['that a person typed in on a page of no origin', { 'sec-fetch-site': 'none', origin: 'null' }, false],
    ['of the same site', { 'sec-fetch-site': 'same-site' }, false],
    ['of another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['of a site that nobody knows', { 'sec-fetch-site': 'x' }, false],
    ['of another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: 'https://lab.example' }, false],
    ['of our origin, from an older browser', { origin: 'https://lab.example' }, true],
    ['of our other origin', { origin: 'https://direct.example' }, true],
    ['of this machine', { origin: 'http://127.0.0.1:8080' }, true],
    ['of another port', { origin: 'http://127.0.0.1:8081' }, false],
    ['of an origin that may open terminals', { origin: 'https://friend.example' }, false],
    ['of a longer name', { origin: 'https://lab.example.evil.example' }, false],
    ['of no origin at all', { origin: 'null' }, false],
    ['that says nothing', {}, false],
  ])('%s', (_what, headers, isOwn) => {
    expect(isFromOwnPage(sent(headers as Record<string, string>), hosts)).toBe(isOwn)
  })

  it.each([
    ['of the same origin', { 'sec-fetch-site': 'same-origin' }, false],
    ['that a person typed in', { 'sec-fetch-site': 'none' }, false],
    ['that a person typed in on a page of another origin', { 'sec-fetch-site': 'none', origin: 'https://evil.example' }, true],
    ['of the same site', { 'sec-fetch-site': 'same-site' }, true],
    ['of another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: 'https://lab.example' }, true],
    ['of our origin, from an older browser', { origin: 'https://lab.example' }, false],
    ['of another origin, from an older browser', { origin: 'https://evil.example' }, true],
    ['of no origin at all', { origin: 'null' }, true],
    ['that says nothing', {}, false],
  ])('%s comes from another page or not', (_what, headers, isForeign) => {
    expect(isFromAnotherPage(sent(headers as Record<string, string>), hosts)).toBe(isForeign)
  })
})
