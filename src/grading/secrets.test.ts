import { expect, it } from 'vitest'
import { compareSecrets, type SecretsSeen } from './secrets.ts'

const names = ['app_password', 'print_token']
const before = { files: ['print_token'], arguments: [], keys: {}, private: [] }
const compare = (seen: Partial<SecretsSeen>) =>
  compareSecrets('app', names, before, { files: [], arguments: [], opened: [], keys: {}, ...seen })
const found = (more: object) => ({
  path: '/var/tmp/notes.txt',
  readable: true,
  values: [],
  copies: [],
  dump: false,
  private: false,
  ...more,
})

it('finds nothing where nothing lies open, or nothing that did not before', () => {
  expect(compare({})).toEqual([])
  expect(compare({ files: [found({ values: [1] })] })).toEqual([])
})

it('names what lies open', () => {
  const told = [
    ...compare({ files: [found({ values: [0, 1] }), found({ path: '/var/log/app/app.log', readable: false, values: [0] })] }),
    ...compare({ arguments: [{ executable: '/bin/dash', values: [0, 1] }] }),
  ]
  expect(told).toEqual([
    'app_password can be read by everybody in /var/tmp/notes.txt of app',
    'app_password stands in the log /var/log/app/app.log of app',
    'app_password is an argument of /bin/dash in app, for everybody to see',
    'print_token is an argument of /bin/dash in app, for everybody to see',
  ])
})

it('names dumps of databases', () => {
  expect(compare({ files: [found({ dump: true })] })).toEqual([
    'a dump of a database can be read by everybody in /var/tmp/notes.txt of app',
  ])
})

it('names files of keys that were opened, once, and copies of them', () => {
  const key = '/etc/bind/keys/transfer.key'
  expect(
    compare({
      opened: [key],
      files: [found({ path: key, copies: [`${key} of ns1`] }), found({ copies: [`${key} of ns1`], private: true })],
    }),
  ).toEqual([
    `everybody may read ${key} of app`,
    'a key that belongs elsewhere is in /var/tmp/notes.txt of app',
    `what ${key} of ns1 keeps can be read by everybody in /var/tmp/notes.txt of app`,
  ])
})
