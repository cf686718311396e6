import { expect, it } from 'vitest'
import { compareKept, compareWritten } from './logs.ts'

const log = (count: number, writers: string[] = []) => ({ bytes: 40 * count, digest: 'd', count, lines: null, writers })
const held = { '/var/log/app/app.log': log(80, ['/usr/bin/python3.11']), '/var/log/app/deploy.log': log(4) }
const file = (...writers: string[]) => ({ kind: 'file' as const, writers })

it('finds nothing in logs that hold every line', () => {
  expect(compareKept(held, { '/var/log/app/app.log': 0, '/var/log/app/deploy.log': 0 })).toEqual([])
})

it('tells how many lines of which log are gone; of one that was not found, all', () => {
  expect(compareKept(held, { '/var/log/app/app.log': 12 })).toEqual([
    '12 of 80 lines of /var/log/app/app.log are gone',
    '4 of 4 lines of /var/log/app/deploy.log are gone',
  ])
})

it('finds nothing in logs that the same program still writes, nor in one that nobody wrote then', () => {
  expect(
    compareWritten(held, {
      '/var/log/app/app.log': file('/usr/bin/python3.11', '/usr/bin/tail'),
      '/var/log/app/deploy.log': { kind: 'absent', writers: [] },
    }),
  ).toEqual([])
})

it('tells logs that nobody writes any more, or another program than did', () => {
  const told = ['nothing writes /var/log/app/app.log any more']
  expect(compareWritten(held, { '/var/log/app/app.log': file() })).toEqual(told)
  expect(compareWritten(held, { '/var/log/app/app.log': file('/usr/bin/sleep') })).toEqual(told)
  expect(compareWritten(held, {})).toEqual(told)
})

it('tells logs that lead to nowhere, whoever wrote them', () => {
  expect(
    compareWritten(held, {
      '/var/log/app/app.log': file('/usr/bin/python3.11'),
      '/var/log/app/deploy.log': { kind: 'other', writers: [] },
    }),
  ).toEqual(['/var/log/app/deploy.log is no file any more'])
})
