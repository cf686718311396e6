import { expect, it } from 'vitest'
import { isLoopbackHost, isLoopbackUrl } from './loopback.ts'

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '0:0:0:0:0:0:0:1'])('%s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

it.each(['0.0.0.0', '::', '10.0.0.1', 'lab.example', 'localhost.example', '127.0.0.1.example', '128.0.0.1', '', '::2', 'fe80::1'])(
  '%s is not only this machine',
  (host) => {
    expect(isLoopbackHost(host)).toBe(false)
  },
)

it('reads the host of an address as a browser does', () => {
  expect(['http://127.1:80/', 'https://[::1]/', 'http://LocalHost:1'].map(isLoopbackUrl)).toEqual([true, true, true])
  expect(['http://localhost@lab.example', 'http://127.0.0.1.example', 'localhost', ''].map(isLoopbackUrl)).toEqual(Array(4).fill(false))
})
