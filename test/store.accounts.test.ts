// Accounts, identities, tokens and browser sessions in the store, on SQLite and on a real PostgreSQL.

import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createId } from '../src/ids.ts'
import type { Store } from '../src/store/store.ts'
import { account, ample, now, openEarlier, sandbox, usePostgres, useSqlite, useStores } from './support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

const later = '2026-05-05T00:00:00.000Z'
const never = '2099-01-01T00:00:00.000Z'

const tokenOf = (account_id: string, hash: string, extra: object = {}) => ({
  ...{ id: createId(), account_id, name: 't', hash, last_four: 'abcd', created_at: now, expires_at: never },
  ...{ last_used_at: null, revoked_at: null, request_id: null },
  ...extra,
})
const sessionOf = (account_id: string, hash: string, extra: object = {}) => ({
  ...{ id: createId(), account_id, hash, user_agent: 'Firefox on Linux', created_at: now, last_used_at: now, expires_at: never },
  ...{ revoked_at: null },
  ...extra,
})
const identityOf = (account_id: string, provider: 'github' | 'google', subject: string, extra: object = {}) => ({
  ...{ provider, subject, account_id, login: null, email: null, avatar_url: null, created_at: now, last_used_at: now },
  ...extra,
})

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('accounts on %s', (_name, newDatabase) => {
  it('an account is made once for an identity, whatever comes at once, and keeps what the provider says last', async () => {
    const store = await open(await newDatabase())
    const made = await Promise.all(Array.from({ length: 10 }, () => account(store, 'ada')))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    const id = made[0]?.id ?? ''
    const said = identityOf(id, 'github', 'subject of ada', { login: 'ada2', email: 'ada@example.org', last_used_at: later })
    const other = { id: createId(), name: 'Somebody', role: 'operator' as const, created_at: later }
    expect(await store.accounts.findOrCreate(other, said)).toMatchObject({ id, name: 'ada', role: 'member' })
    expect(await store.accounts.identitiesOf(id)).toEqual([{ ...said, created_at: now }])
    expect(await store.accounts.find(other.id)).toBeNull()
  })

  it('the same subject at two providers, and the same login, are two people', async () => {
    const store = await open(await newDatabase())
    const one = await account(store, 'ada')
    const same = identityOf('', 'google', 'subject of ada', { login: 'ada', email: 'ada@example.org' })
    const two = await store.accounts.findOrCreate({ id: createId(), name: 'ada', role: 'member', created_at: now }, same)
    const three = await store.accounts.findOrCreate(
      { id: createId(), name: 'ada', role: 'member', created_at: now },
      { ...same, provider: 'github', subject: '7' },
    )
    expect(new Set([one.id, two.id, three.id]).size).toBe(3)
  })

  it('an identity is linked to one account only', async () => {
    const store = await open(await newDatabase())
    const [ada, eve] = await Promise.all([account(store, 'ada'), account(store, 'eve')])
    const links = await Promise.all([ada, eve].map(({ id }) => store.accounts.link(identityOf(id, 'google', '1'))))
    expect(links.filter(Boolean)).toHaveLength(1)
    const owner = links[0] ? ada : eve
    expect(await store.accounts.link(identityOf(owner.id, 'google', '1', { login: 'new', last_used_at: later }))).toBe(true)
    expect((await store.accounts.identitiesOf(owner.id))[0]).toMatchObject({ provider: 'google', login: 'new' })
    await expect(store.accounts.link(identityOf(ada.id, 'evil' as never, '2'))).rejects.toThrow(/check|constraint/i)
  })

  it('a token is found by its hash; an account has so many and no more, also from two servers', async () => {
    const database = await newDatabase()
    const stores = [await open(database), await open(database)] as const
    const { id } = await account(stores[0], 'ada')
    const [token] = [tokenOf(id, 'h1', { request_id: 'r1' })]
    expect(await stores[0].tokens.insert(token, 5)).toBe(true)
    expect(await stores[1].tokens.findByHash('h1')).toMatchObject({ account: { id, name: 'ada' }, token: { last_used_at: null } })
    expect((await stores[1].tokens.findByRequest('r1'))?.id).toBe(token.id)
    await stores[0].tokens.touch(token.id, later)
    expect((await stores[1].tokens.findByHash('h1'))?.token.last_used_at).toBe(later)
    expect(await stores[0].tokens.findByHash('h2')).toBeNull()
    await expect(stores[0].tokens.insert(tokenOf(id, 'h1'), 5)).rejects.toThrow(/unique/i)
    await expect(stores[0].tokens.insert(tokenOf('none', 'h3'), 5)).rejects.toThrow(/foreign key/i)
    await stores[0].tokens.insert(tokenOf(id, 'expired', { created_at: '2025-01-01T00:00:00.000Z', expires_at: now }), 5)
    const more = Array.from({ length: 10 }, (_, index) => (stores[index % 2] as Store).tokens.insert(tokenOf(id, `more ${index}`), 5))
    expect((await Promise.all(more)).filter(Boolean)).toHaveLength(4)
    await stores[0].tokens.revoke(token.id, later)
    expect(await stores[1].tokens.insert(tokenOf(id, 'after'), 5)).toBe(true)
  })

  it('a browser session is found by its hash and ends once', async () => {
    const { browserSessions, ...store } = await open(await newDatabase())
    const [ada, eve] = await Promise.all([account(store as Store, 'ada'), account(store as Store, 'eve')])
    const rows = [
      sessionOf(ada.id, 'h1'),
      sessionOf(ada.id, 'h2', { last_used_at: later }),
      sessionOf(ada.id, 'old', { expires_at: later }),
    ] as const
    for (const row of rows) await browserSessions.insert(row)
    expect(await browserSessions.findByHash('h1')).toMatchObject({ account: { id: ada.id }, session: { id: rows[0].id } })
    expect(await browserSessions.findByHash('none')).toBeNull()
    const idle = '2026-01-01T00:00:00.000Z'
    expect((await browserSessions.list(ada.id, later, idle)).map(({ id }) => id)).toEqual([rows[1].id, rows[0].id])
    expect(await browserSessions.list(ada.id, later, later)).toEqual([])
    expect(await browserSessions.revoke(eve.id, rows[0].id, later)).toBe(false)
    const ends = await Promise.all(Array.from({ length: 5 }, () => browserSessions.revoke(ada.id, rows[0].id, later)))
    expect(ends.filter(Boolean)).toHaveLength(1)
    await browserSessions.purge(later, idle)
    expect(await browserSessions.findByHash('h1')).toBeNull()
    expect(await browserSessions.findByHash('old')).toBeNull()
    expect(await browserSessions.findByHash('h2')).not.toBeNull()
  })

  it('a link and an attempt are used once, and not too late', async () => {
    const store = await open(await newDatabase())
    const { id } = await account(store, 'ada')
    const { browserSessions } = store
    await browserSessions.insertLink({ hash: 'link', account_id: id, expires_at: later, used_at: null })
    await browserSessions.insertLink({ hash: 'late', account_id: id, expires_at: now, used_at: null })
    expect(await browserSessions.useLink('late', now)).toBeNull()
    expect(await browserSessions.useLink('none', now)).toBeNull()
    const uses = await Promise.all(Array.from({ length: 5 }, () => browserSessions.useLink('link', now)))
    expect(uses.filter((used) => used !== null)).toEqual([id])
    const spent = await Promise.all(Array.from({ length: 5 }, () => browserSessions.spendAttempt('state', now, later)))
    expect(spent.filter(Boolean)).toHaveLength(1)
    expect(await browserSessions.useLink('state', now)).toBeNull()
    await browserSessions.purge(later, now)
    expect(await browserSessions.spendAttempt('state', later, never)).toBe(true)
  })

  it('a deleted account leaves nothing personal, and its sandboxes have ended', async () => {
    const store = await open(await newDatabase())
    const [ada, eve] = await Promise.all([account(store, 'ada'), account(store, 'eve')])
    const [running, foreign] = [
      sandbox(ada.id, { status: 'running', address: '192.0.2.1' }), // begun without an account
      sandbox(eve.id, { status: 'running' }),
    ]
    const gone = sandbox(ada.id)
    for (const row of [running, foreign, gone]) await store.slots.reserve(row, ample)
    await store.sandboxes.markTerminated(gone.id, 'expired', now)
    for (const { id } of [ada, eve]) {
      await store.tokens.insert(tokenOf(id, `token ${id}`), 5)
      await store.browserSessions.insert(sessionOf(id, `session ${id}`))
      await store.browserSessions.insertLink({ hash: `link ${id}`, account_id: id, expires_at: later, used_at: null })
    }
    const removed = await store.accounts.remove(ada.id, later)
    expect({ ...removed, sandboxes: removed.sandboxes.sort() }).toEqual({
      sandboxes: [running.id, gone.id].sort(),
      ended: [running.id],
    })
    expect(await store.accounts.find(ada.id)).toBeNull()
    expect(await store.accounts.identitiesOf(ada.id)).toEqual([])
    expect(await store.tokens.findByHash(`token ${ada.id}`)).toBeNull()
    expect(await store.browserSessions.findByHash(`session ${ada.id}`)).toBeNull()
    expect(await store.browserSessions.useLink(`link ${ada.id}`, now)).toBeNull()
    expect(await store.sandboxes.find(running.id)).toMatchObject({
      ...{ account_id: null, address: null, status: 'terminated', termination_reason: 'stopped' },
    })
    expect(await store.sandboxes.find(gone.id)).toMatchObject({ account_id: null, termination_reason: 'expired' })
    expect(await store.sandboxes.find(foreign.id)).toMatchObject({ account_id: eve.id, status: 'running' })
    expect(await store.tokens.findByHash(`token ${eve.id}`)).not.toBeNull()
  })

  it('a database of before keeps its operator, who is not found by the login any more', async () => {
    const database = await newDatabase()
    const old = await openEarlier(database, '0007-pool-state')
    for (const [id, login, role] of [
      ['op', 'operator', 'operator'],
      ['me', 'ada', 'member'],
    ]) {
      await sql`insert into account (id, login, name, role, created_at) values (${id}, ${login}, 'A name', ${role}, ${now})`.execute(old)
      await sql`insert into token (id, account_id, name, hash, last_four, created_at, expires_at)
        values (${`t ${id}`}, ${id}, 'n', ${`h ${id}`}, 'abcd', ${now}, ${never})`.execute(old)
    }
    await old.destroy()
    const store = await open(database)
    expect(await store.tokens.findByHash('h op')).toMatchObject({ account: { id: 'op', name: 'A name', role: 'operator' } })
    expect(await store.tokens.findByHash('h me')).toMatchObject({ account: { id: 'me', role: 'member' } })
    expect(await store.accounts.identitiesOf('op')).toMatchObject([{ provider: 'local', subject: 'operator' }])
    expect(await store.accounts.identitiesOf('me')).toEqual([])
    expect((await account(store, 'operator')).id).not.toBe('op')
    await expect(store.tokens.insert(tokenOf('none', 'x'), 5)).rejects.toThrow(/foreign key/i)
    await expect(store.slots.reserve(sandbox('none'), ample)).rejects.toThrow(/foreign key/i)
  })
})
