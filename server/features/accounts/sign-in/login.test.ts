import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { createAccountsFixture, goodPassword, type AccountsFixture } from '#tests/support/accounts.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let s: AccountsFixture
afterEach(() => s.close())

const login = (usr: unknown, pwd: unknown, ip?: string) => s.visitor(ip).call('login', { usr, pwd })
const activities = () =>
  s.documents.transaction(s.system, (tx) => tx.list(ActivityDoctype, [['action', 'like', 'account.%']]))

describe('login', () => {
  beforeEach(async () => {
    s = await createAccountsFixture()
    await s.person('ann@example.com')
    await s.person('off@example.com')
    await s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, 'off@example.com', { enabled: 0 }))
  })

  test('answers as Frappe does and starts a session', async () => {
    const visitor = s.visitor()
    expect(await visitor.call('login', { usr: ' Ann@Example.COM', pwd: goodPassword })).toBe('Logged In')
    expect(visitor.extras).toEqual({ home_page: '/web', full_name: 'Test Person' })
    expect(await visitor.call('get_logged_user')).toBe('ann@example.com')
  })

  test('unknown, wrong and disabled are indistinguishable', async () => {
    const messages: unknown[] = []
    for (const [usr, pwd] of [
      ['nobody@example.com', goodPassword],
      ['ann@example.com', 'wrong'],
      ['off@example.com', goodPassword],
      ['ann@example.com', goodPassword + 'x'.repeat(600)],
    ]) {
      await expect(
        login(usr, pwd).catch((error: unknown) => {
          messages.push({ ...(error as object), message: (error as Error).message })
          throw error
        }),
      ).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'Invalid login credentials',
        excType: 'AuthenticationError',
      })
    }
    expect(new Set(messages.map((message) => JSON.stringify(message))).size).toBe(1)
  })

  test('names missing details', async () => {
    await expect(login('', goodPassword)).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'Incomplete login details',
    })
    await expect(login('ann@example.com', undefined)).rejects.toMatchObject({ message: 'Incomplete login details' })
    await expect(login(['ann@example.com'], { $ne: '' })).rejects.toMatchObject({ message: 'Incomplete login details' })
  })

  test("each login has a new sid, and the browser's former session ends", async () => {
    const visitor = await s.loggedIn('ann@example.com')
    const { sid } = visitor
    await visitor.call('login', { usr: 'ann@example.com', pwd: goodPassword })
    expect(visitor.sid).not.toBe(sid)
    expect(await s.accounts.sessions.resolveCookie(sid ?? '', '::1')).toBeNull()
  })

  test('logout ends the session on the server', async () => {
    const visitor = await s.loggedIn('ann@example.com')
    const { sid } = visitor
    await visitor.call('logout')
    expect(await s.accounts.sessions.resolveCookie(sid ?? '', '::1')).toBeNull()
    await expect(visitor.call('get_logged_user')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(visitor.call('logout')).resolves.toBeNull()
  })

  test('is on record, without what strangers typed', async () => {
    await s.loggedIn('ann@example.com', '198.51.100.4')
    await expect(login('ann@example.com', 'wrong')).rejects.toThrow()
    await expect(login('my secret password', 'wrong')).rejects.toThrow()
    const entries = (await activities()).filter(({ action }) => action === 'account.login')
    expect(entries.map(({ actor, result, organization }) => [actor, result, organization])).toEqual([
      ['ann@example.com', 'Done', null],
      ['ann@example.com', 'Denied', null],
      ['Guest', 'Denied', null],
    ])
    expect(entries[0]).toMatchObject({ ip: '198.51.100.4', via: 'web' })
    expect(JSON.stringify(await activities())).not.toContain('secret password')
  })
})

describe('limits of failed logins', () => {
  beforeEach(async () => {
    s = await createAccountsFixture({ realLimits: true })
    await s.person('ann@example.com')
  })

  test('five failures of one account from one address; the sixth is not even checked', async () => {
    for (let n = 0; n < 5; n += 1)
      await expect(login('ann@example.com', `wrong ${n}`)).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(login('ann@example.com', goodPassword)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: expect.any(Number) as number,
    })
    await expect(login('ann@example.com', goodPassword, '198.51.100.1')).resolves.toBe('Logged In')
  })

  test('an unknown account is limited just so', async () => {
    for (let n = 0; n < 5; n += 1)
      await expect(login('nobody@example.com', 'wrong')).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(login('nobody@example.com', 'wrong')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('successes count nothing', async () => {
    for (let n = 0; n < 8; n += 1) await expect(login('ann@example.com', goodPassword)).resolves.toBe('Logged In')
  })

  test('many tries at one moment are limited like tries one by one', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => login('ann@example.com', 'wrong')))
    const codes = tries.map((one) => (one as PromiseRejectedResult).reason as { code: string })
    expect(codes.filter(({ code }) => code === 'unauthorized')).toHaveLength(5)
    expect(codes.filter(({ code }) => code === 'rate_limited')).toHaveLength(7)
  })
})
