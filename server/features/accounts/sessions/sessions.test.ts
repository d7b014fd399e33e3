import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { systemSession } from '#server/jobs/session.ts'
import { createSessionCache, type Resolved } from './session-cache.ts'
import { createSessions } from './sessions.ts'
import { createAccountsFixture, goodPassword, type AccountsFixture, type Visitor } from '#tests/support/accounts.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let s: AccountsFixture
let visitor: Visitor
beforeEach(async () => {
  s = await createAccountsFixture()
  await s.person('ann@example.com')
  visitor = await s.loggedIn('ann@example.com')
})
afterEach(() => s.close())

/** Cookies are not rate limited. */
const rateLimiter = { hit: () => Promise.resolve(), check: () => Promise.resolve(), refund: () => Promise.resolve() }

/** A store with an empty cache, like another process. */
const other = () => createSessions({ database: s.database, documents: () => s.documents, log: silentLog, rateLimiter })
const resolve = () => other().resolveCookie(visitor.sid ?? '', '203.0.113.7')

test("the cookie's value is stored as a hash only", async () => {
  const { rows } = await s.database.pool.query('select * from easydash_session')
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(visitor.sid)
  expect(visitor.sid).toMatch(/^[\w-]{43}$/)
})

test.each(['', 'Guest', 'x'.repeat(43), '../..', 'x'.repeat(5000), "' or 1=1 --"])(
  'the sid %j is nobody',
  async (sid) => {
    expect(await s.accounts.sessions.resolveCookie(sid, '::1')).toBeNull()
  },
)

test('an idle session ends after 24 hours, any after 30 days', async () => {
  const age = (column: string, interval: string) =>
    s.database.pool.query(`update easydash_session set ${column} = now() - $1::interval`, [interval])
  await age('last_used', '23 hours 59 minutes')
  expect(await resolve()).not.toBeNull()
  await age('last_used', '24 hours')
  expect(await resolve()).toBeNull()
  await age('last_used', '0')
  expect(await resolve()).not.toBeNull()
  const { rows } = await s.database.pool.query<{ days: number }>(
    'select extract(epoch from expires - created)::float8 / 86400 as days from easydash_session',
  )
  expect(rows[0]?.days).toBeCloseTo(30, 3)
  await age('expires', '1 second')
  expect(await resolve()).toBeNull()
  const ended = await s.documents.transaction(systemSession(), (tx) => other().endAll(tx, 'ann@example.com', null))
  expect(ended, 'it had ended before').toBe(0)
})

test('use moves the idle time on, at most once a minute', async () => {
  const lastUsed = async () =>
    (
      await s.database.pool.query<{ age: number }>(
        'select extract(epoch from now() - last_used)::float8 as age from easydash_session',
      )
    ).rows[0]?.age ?? 0
  await s.database.pool.query("update easydash_session set last_used = now() - interval '30 seconds'")
  await resolve()
  expect(await lastUsed()).toBeGreaterThan(29)
  await s.database.pool.query("update easydash_session set last_used = now() - interval '5 hours'")
  await resolve()
  expect(await lastUsed()).toBeLessThan(60)
})

test('the session carries the address of the request, not of the login', async () => {
  expect((await s.accounts.sessions.resolveCookie(visitor.sid ?? '', '198.51.100.77'))?.session.ip).toBe(
    '198.51.100.77',
  )
})

describe('ends of a session', () => {
  const ends: [string, () => Promise<unknown>][] = [
    ['logout', () => visitor.call('logout')],
    [
      'disabling the account',
      () => s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, 'ann@example.com', { enabled: 0 })),
    ],
  ]
  test.each(ends)('%s notifies every process, and the cookie is invalid immediately', async (_what, end) => {
    const elsewhere = openDatabase({ connection: connectionOf(s), log: silentLog })
    try {
      const second = createSessions({ database: elsewhere, documents: () => s.documents, log: silentLog, rateLimiter })
      await second.start()
      const sid = visitor.sid ?? ''
      const before = await second.resolveCookie(sid, '::1')
      expect(before).not.toBeNull()
      const listener = vi.fn()
      second.onRevoked(listener)
      await end()
      expect(await s.accounts.sessions.resolveCookie(sid, '::1')).toBeNull()
      await expect
        .poll(() => listener)
        .toHaveBeenCalledWith({ user: 'ann@example.com', sessionId: before?.session.id, organization: null })
      expect(await second.resolveCookie(sid, '::1')).toBeNull()
    } finally {
      await elsewhere.close()
    }
  })

  test('the end of a renewed session also ends the ones before it', async () => {
    const first = (await visitor.session())?.id
    await visitor.call('confirm_password', { password: 'Correct-Horse-42!' })
    const second = (await visitor.session())?.id
    expect(second).not.toBe(first)
    const listener = vi.fn()
    s.accounts.sessions.onRevoked(listener)
    await visitor.call('logout')
    await expect
      .poll(() => new Set(listener.mock.calls.map(([revoked]) => (revoked as { sessionId: string }).sessionId)))
      .toEqual(new Set([first, second]))
  })

  test('a failing listener does not affect the others', async () => {
    const listener = vi.fn()
    s.accounts.sessions.onRevoked(() => {
      throw new Error('broken')
    })
    s.accounts.sessions.onRevoked(listener)
    await visitor.call('logout')
    await expect.poll(() => listener).toHaveBeenCalledOnce()
  })
})

test('no session can be created for a disabled or missing account', async () => {
  await expect(s.accounts.sessions.create('nobody@example.com', { ip: '::1', userAgent: '' })).rejects.toMatchObject({
    code: 'unauthorized',
  })
})

test('cookie facts of a user', async () => {
  expect(await s.accounts.sessions.profile('ann@example.com')).toEqual({
    full_name: 'Test Person',
    user_image: '',
    system_user: 'yes',
  })
  await s.documents.transaction(s.system, (tx) =>
    tx.update(UserDoctype, 'ann@example.com', { first_name: 'Änn\n\u0007' }),
  )
  expect(await s.accounts.sessions.profile('ann@example.com')).toMatchObject({ full_name: 'Änn Person' })
  expect((await visitor.session())?.fullName).toBe('Änn Person')
})

test('without API tokens every Authorization header is wrong', async () => {
  expect(await s.accounts.sessions.resolveAuthorization('token a:b', '::1')).toBeNull()
})

describe('the cache', () => {
  const resolved = (user: string) => ({ session: { user }, profile: { full_name: user } }) as unknown as Resolved

  test('concurrent requests share one query, which is repeated after two seconds', async () => {
    let time = 0
    const cache = createSessionCache(() => time)
    const load = vi.fn(() => Promise.resolve(resolved('ann')))
    await Promise.all([cache.get('a', load), cache.get('a', load)])
    time = 1999
    await cache.get('a', load)
    expect(load).toHaveBeenCalledTimes(1)
    time = 2000
    await cache.get('a', load)
    expect(load).toHaveBeenCalledTimes(2)
  })

  test('an answer read before a change is not kept after it', async () => {
    const cache = createSessionCache(() => 0)
    let response: (found: Resolved | null) => void = () => undefined
    const slow = cache.get(
      'a',
      () =>
        new Promise((done) => {
          response = done
        }),
    )
    cache.forget('ann')
    response(resolved('ann'))
    await slow
    const load = vi.fn(() => Promise.resolve(null))
    expect(await cache.get('a', load)).toBeNull()
    expect(load).toHaveBeenCalledOnce()
  })

  test('failures are not kept', async () => {
    const cache = createSessionCache(() => 0)
    await expect(cache.get('a', () => Promise.reject(new Error('database away')))).rejects.toThrow('database away')
    expect(await cache.get('a', () => Promise.resolve(resolved('ann')))).toMatchObject({ session: { user: 'ann' } })
  })
})

function connectionOf({ database }: AccountsFixture) {
  const { host, port, user, password, database: name } = database.connectionConfig
  return {
    host: host ?? '',
    port: port ?? 5432,
    user: user ?? '',
    password: typeof password === 'string' ? password : '',
    database: name ?? '',
  }
}

test('a session is not started with a password that was changed since it was checked', async () => {
  const { sessions } = s.accounts
  const client = { ip: '203.0.113.7', userAgent: 'test browser' }
  const version = async () => {
    const { rows } = await s.database.pool.query<{ version: string }>(
      `select changed::text as version from easydash_credential where "user" = 'ann@example.com'`,
    )
    return rows[0]?.version ?? ''
  }
  const before = await version()
  await expect(sessions.create('ann@example.com', { ...client, provenWith: before })).resolves.toBeDefined()
  const ann = await s.loggedIn('ann@example.com')
  await ann.call('update_password', { old_password: goodPassword, new_password: 'Another-Horse-43!' })
  await expect(sessions.create('ann@example.com', { ...client, provenWith: before })).rejects.toMatchObject({
    code: 'unauthorized',
  })
  await expect(sessions.create('ann@example.com', { ...client, provenWith: await version() })).resolves.toBeDefined()
})

test('a log-in waits for a change of the password that is under way, and is refused then', async () => {
  const changing = await s.database.pool.connect()
  try {
    await changing.query('begin')
    await changing.query(`update easydash_credential set changed = now() where "user" = 'ann@example.com'`)
    const login = s.loggedIn('ann@example.com').then(
      () => 'logged in',
      (error: { code: string }) => error.code,
    )
    // It has reached the insert of the session when it waits for the locked row.
    const waiting = async () => {
      const { rows } = await s.database.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%insert into easydash_session%'`,
      )
      return rows
    }
    await expect.poll(waiting).toHaveLength(1)
    await changing.query('commit')
    expect(await login).toBe('unauthorized')
  } finally {
    changing.release()
  }
})

test('a session that was ended is not continued by a request of it that is under way', async () => {
  const { sessions } = s.accounts
  const client = { ip: '203.0.113.7', userAgent: 'test browser' }
  const { id } = (await visitor.session()) ?? { id: null }
  // As if a password had been confirmed while the account was recovered elsewhere.
  const elsewhere = await s.loggedIn('ann@example.com')
  await elsewhere.call('update_password', { old_password: goodPassword, new_password: 'Another-Horse-43!' })
  await expect(sessions.create('ann@example.com', { ...client, continues: id })).rejects.toMatchObject({
    code: 'unauthorized',
  })
  const { id: own } = (await elsewhere.session()) ?? { id: null }
  await expect(sessions.create('ann@example.com', { ...client, continues: own })).resolves.toBeDefined()
})

test('of two requests that continue a session both are answered', async () => {
  const confirm = (): Promise<unknown> => visitor.call('confirm_password', { password: goodPassword })
  await expect(Promise.all([confirm(), confirm()])).resolves.toHaveLength(2)
  expect(await visitor.session()).not.toBeNull()
})

test('a session renewed without a password keeps the time of its last password check', async () => {
  const { id } = (await visitor.session()) ?? { id: null }
  await s.database.pool.query(`update easydash_session set reauth_at = null where id = $1`, [id])
  const client = { ip: '203.0.113.7', userAgent: 'test browser', continues: id }
  expect((await s.accounts.sessions.create('ann@example.com', client)).session.reauthAt).toBeNull()
})
