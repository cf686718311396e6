import { expect, it } from 'vitest'
import { InvalidJson } from '../../checked-json.ts'
import { createdAtOf, layersOf, searchPathOf, stopSignalOf, writtenBytesOf } from './docker-responses.ts'

it('reads what is told beside the declared fields', () => {
  expect(stopSignalOf({ Image: 'lab/web', StopSignal: 'SIGQUIT' })).toBe('SIGQUIT')
  expect(createdAtOf({ Name: 'v', CreatedAt: '2026-01-02T03:04:05Z' })).toEqual(new Date('2026-01-02T03:04:05Z'))
  expect(writtenBytesOf({ Id: 'a', SizeRw: 7 })).toBe(7)
  expect(layersOf({ Name: 'overlay2', Data: { UpperDir: '/a/diff', LowerDir: '/b:/c' } })).toEqual({
    upper: '/a/diff',
    lowers: ['/b', '/c'],
  })
})

it('does without what an engine leaves out', () => {
  expect([stopSignalOf({}), stopSignalOf({ StopSignal: '' })]).toEqual(['SIGTERM', 'SIGTERM'])
  expect(createdAtOf({})).toEqual(new Date(0))
  expect(writtenBytesOf({})).toBe(0)
  for (const driver of [
    undefined,
    null,
    { Data: null },
    { Data: {} },
    { Name: 'fuse-overlayfs', Data: { UpperDir: '/a', LowerDir: '/b' } },
  ])
    expect(layersOf(driver)).toBeNull()
})

it('knows where programs are looked up', () => {
  expect(searchPathOf(['HOME=/root', 'PATH=/srv/bin:/usr/bin::', 'XPATH=/x'])).toEqual(['/srv/bin', '/usr/bin'])
  expect(searchPathOf([])).toContain('/usr/local/bin')
})

it('does not believe what has another shape', () => {
  for (const read of [() => stopSignalOf(null), () => createdAtOf({ CreatedAt: 1 }), () => writtenBytesOf({ SizeRw: '7' })]) {
    expect(read).toThrow(InvalidJson)
  }
})
