import { describe, expect, it } from 'vitest'
import type { Observer } from './observer.ts'
import { compareSettings, linesKept, readSettings, type SettingsFile } from './settings-files.ts'

const mayChange = 'retries \\d+|server .*'
const file = (text: string, mode = '0640', uid = 0, acl = false): SettingsFile => ({ mode, uid, acl, lines: linesKept(text, mayChange) })
const authored = '# Way in\nfrontend shop\n    bind :80\n    deny /internal\n\nbackend app\n    retries 2\n    server a a:8000\n'
const before = file(authored)

it.each([
  ['another value of what may change', authored.replace('retries 2', 'retries 5')],
  ['a further line, and one less, of that kind', authored.replace('retries 2', 'server b b:8000')],
  ['comments, blanks and setting in', `  # mended\n\n${authored.replace('    bind', '\tbind')}`],
])('lets pass %s', (_, text) => {
  expect(compareSettings(before, file(text))).toBeUndefined()
})

it('bounds the numbers of what may change', () => {
  const bounded = (value: string) => linesKept(`timeout = ${value}`, 'timeout = <1-60>')
  expect([bounded('1'), bounded('60'), bounded('61'), bounded('6000')]).toEqual([[], [], ['timeout = 61'], ['timeout = 6000']])
})

describe('sees', () => {
  it.each([
    ['a new line', authored.replace('bind :80', 'bind :80\n    allow x-debug'), 'has a line that was not there before: allow x-debug'],
    ['one at the end', `${authored}log off`, 'has a line that was not there before: log off'],
    ['an altered one', authored.replace('deny /internal', 'deny /int'), 'has a line that was not there before: deny /int'],
    ['one that is gone', authored.replace('    deny /internal\n', ''), 'lacks a line that was there before: deny /internal'],
    ['one that is there twice', `${authored}bind :80`, 'has a line more often than before: bind :80'],
    ['the last one gone', authored.replace('backend app\n', ''), 'lacks a line that was there before: backend app'],
    [
      'one that has moved',
      `${authored.replace('    bind :80\n', '')}bind :80`,
      'has its lines in another order, from this one on: deny /internal',
    ],
    [
      'one that only begins like what may change',
      authored.replace('retries 2', 'retries 2; sleep'),
      'has a line that was not there before: retries 2; sleep',
    ],
    [
      'an encoding in which comments are code',
      `# -*- coding: utf-7 -*-\n${authored}`,
      'has a line that was not there before: # -*- coding: utf-7 -*-',
    ],
    ['what is a comment elsewhere and a command in a shell', `${authored}//tmp/evil`, 'has a line that was not there before: //tmp/evil'],
    ['one behind a comment that goes on', authored.replace('# Way in', '# Way in\rx'), 'has a line that was not there before: # Way in\rx'],
  ])('%s', (_, text, expected) => {
    expect(compareSettings(before, file(text))).toBe(expected)
  })

  it('endless lines, without trying the pattern', () => {
    expect(compareSettings(before, file(`${authored}server ${'x'.repeat(2000)}`))).toMatch(/not there before: server x+$/)
  })

  it.each([
    ['a file that is gone', 'is gone', 'is gone'],
    ['a more open one', file(authored, '0644'), 'has mode 0644'],
    ['another owner', file(authored, '0640', 900), 'is owned by user 900'],
  ])('%s', (_, now, expected) => {
    expect(compareSettings(before, now)).toBe(expected)
  })

  it('nothing in a file that is less open', () => {
    expect(compareSettings(before, file(authored, '0600'))).toBeUndefined()
    expect(compareSettings(before, file(authored, '0640', 0, true))).toBe('has an access list')
  })
})

describe('reads', () => {
  const path = '/etc/shop.conf'
  const entry = { path, type: 'file', mode: '0640', uid: 0, acl: false }
  const read = async (text: string, known?: SettingsFile) => {
    const observer = { inspect: async () => ({ entries: [{ ...entry, text }] }) } as unknown as Observer
    return (await readSettings(observer, 'web', { [path]: mayChange }, known && { [path]: known }))[path]
  }

  it('nothing of a file that is far longer than authors write', async () => {
    expect(await read('# x\n'.repeat(16 * 1024))).toMatchObject({ lines: [] })
    expect(await read('# x\n'.repeat(16 * 1024 + 1))).toBe('is too long to compare')
    expect(compareSettings(before, 'is too long to compare')).toBe('is too long to compare')
  })

  it('no more lines than show a difference', async () => {
    const now = await read(`${authored}${'deny /x\n'.repeat(500)}`, before)
    expect(now).toMatchObject({ lines: [...before.lines, 'deny /x'] })
    expect(compareSettings(before, now ?? '')).toBe('has a line that was not there before: deny /x')
    expect(compareSettings(before, (await read(authored, before)) ?? '')).toBeUndefined()
  })
})
