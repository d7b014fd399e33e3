import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAccountsFixture, goodPassword, type AccountsFixture } from '#tests/support/accounts.ts'
import { cheapHashing } from '#tests/support/cheap-hashing.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

const otherPassword = 'Another-Horse-43!'

let s: AccountsFixture
afterEach(() => s.close())

describe('passwords', () => {
  beforeEach(async () => {
    s = await createAccountsFixture()
    await s.person('ann@example.com')
  })

  test('a forgotten password: mail, key, new password; every session ends', async () => {
    const elsewhere = await s.loggedIn('ann@example.com')
    const visitor = s.visitor()
    expect(await visitor.call('reset_password', { user: 'Ann@example.com' })).toBeUndefined()
    const key = s.linkToken('ann@example.com')
    expect(await visitor.call('update_password', { key, new_password: otherPassword })).toBe('/web/login')
    expect(await elsewhere.session()).toBeNull()
    expect(s.mails.map(({ kind }) => kind)).toEqual(['reset_password', 'password_changed'])
    await expect(s.loggedIn('ann@example.com')).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(visitor.call('login', { usr: 'ann@example.com', pwd: otherPassword })).resolves.toBe('Logged In')
    await expect(visitor.call('update_password', { key, new_password: goodPassword })).rejects.toMatchObject({
      code: 'gone',
      excType: 'LinkExpired',
    })
  })

  test('unknown and disabled addresses get the same notice and no mail', async () => {
    await s.person('off@example.com')
    await s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, 'off@example.com', { enabled: 0 }))
    const notices: unknown[] = []
    for (const user of ['ann@example.com', 'nobody@example.com', 'off@example.com', 'not an address']) {
      const visitor = s.visitor()
      await visitor.call('reset_password', { user })
      notices.push(visitor.notices)
    }
    expect(new Set(notices.map((notice) => JSON.stringify(notice))).size).toBe(1)
    expect(s.mails.map(({ to }) => to)).toEqual(['ann@example.com'])
  })

  test('a weak new password does not use the key up; a new password makes other keys useless', async () => {
    const visitor = s.visitor()
    await visitor.call('reset_password', { user: 'ann@example.com' })
    const first = s.linkToken('ann@example.com')
    await visitor.call('reset_password', { user: 'ann@example.com' })
    const second = s.linkToken('ann@example.com')
    await expect(visitor.call('update_password', { key: second, new_password: 'password12' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'new_password',
    })
    await visitor.call('update_password', { key: second, new_password: otherPassword })
    await expect(visitor.call('update_password', { key: first, new_password: goodPassword })).rejects.toMatchObject({
      code: 'gone',
    })
  })

  test('a link expires after 30 minutes and works for one of several concurrent uses', async () => {
    await s.visitor().call('reset_password', { user: 'ann@example.com' })
    const { rows } = await s.database.pool.query<{ minutes: number }>(
      'select extract(epoch from expires - created)::float8 / 60 as minutes from easydash_token',
    )
    expect(rows[0]?.minutes).toBeCloseTo(30, 3)
    const key = s.linkToken('ann@example.com')
    const tries = await Promise.allSettled(
      [1, 2, 3].map(() => s.visitor().call('update_password', { key, new_password: otherPassword })),
    )
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  })

  test('whether a link still works is known without using it, and says nothing about who has an account', async () => {
    const check = (key: string) => s.visitor().call('check_password_link', { key })
    const refusal = (key: string) =>
      check(key).then(
        () => null,
        (error: unknown) => error,
      )
    await s.person('off@example.com')
    for (const user of ['ann@example.com', 'off@example.com']) await s.visitor().call('reset_password', { user })
    const [key, disabled] = [s.linkToken('ann@example.com'), s.linkToken('off@example.com')]
    await s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, 'off@example.com', { enabled: 0 }))
    expect(await check(key)).toBeUndefined()
    expect(await check(key)).toBeUndefined()
    await s.visitor().call('update_password', { key, new_password: otherPassword })
    const refusals = await Promise.all([key, disabled, 'x'.repeat(43)].map(refusal))
    for (const one of refusals) expect(one).toMatchObject({ code: 'gone', excType: 'LinkExpired' })
    expect(new Set(refusals.map(String)).size).toBe(1)
  })

  test('with the old password: other sessions end, the current one continues under a new sid', async () => {
    const visitor = await s.loggedIn('ann@example.com')
    const elsewhere = await s.loggedIn('ann@example.com')
    const { sid, csrfToken } = visitor
    expect(await visitor.call('update_password', { old_password: goodPassword, new_password: otherPassword })).toBe(
      '/web',
    )
    expect(await elsewhere.session()).toBeNull()
    expect(await visitor.session()).toMatchObject({ user: 'ann@example.com' })
    expect([visitor.sid === sid, visitor.csrfToken === csrfToken]).toEqual([false, true])
    expect(await s.accounts.sessions.resolveCookie(sid ?? '', '::1')).toBeNull()
    expect(s.mails.map(({ kind }) => kind)).toEqual(['password_changed'])
  })

  test('requires the correct old password and a session', async () => {
    const visitor = await s.loggedIn('ann@example.com')
    await expect(
      visitor.call('update_password', { old_password: 'wrong', new_password: otherPassword }),
    ).rejects.toMatchObject({ code: 'invalid', field: 'old_password' })
    await expect(
      s.visitor().call('update_password', { old_password: goodPassword, new_password: otherPassword }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      s.visitor().call('update_password', { key: 'x'.repeat(43), new_password: otherPassword }),
    ).rejects.toMatchObject({ code: 'gone' })
  })

  test('confirming the password is remembered with the session, under a new sid', async () => {
    const visitor = await s.loggedIn('ann@example.com')
    await s.database.pool.query("update easydash_session set reauth_at = now() - interval '1 hour'")
    const { sid } = visitor
    await expect(visitor.call('confirm_password', { password: 'wrong' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'password',
    })
    expect(await visitor.call('confirm_password', { password: goodPassword })).toEqual({ valid_seconds: 600 })
    const reauthAt = (await visitor.session())?.reauthAt ?? 0
    expect(Math.abs(reauthAt - Date.now())).toBeLessThan(60_000)
    expect(visitor.sid).not.toBe(sid)
  })
})

test('three requests for reset mails an hour from one address, for accounts known or not', async () => {
  s = await createAccountsFixture({ realLimits: true })
  await s.person('ann@example.com')
  for (const [user, ip] of [
    ['ann@example.com', '198.51.100.1'],
    ['nobody@example.com', '198.51.100.2'],
  ]) {
    for (let n = 0; n < 3; n += 1) await s.visitor(ip).call('reset_password', { user })
    for (const next of [user, 'other@example.com'])
      await expect(s.visitor(ip).call('reset_password', { user: next })).rejects.toMatchObject({ code: 'rate_limited' })
  }
})

test('opening links for a new password is limited by address', async () => {
  s = await createAccountsFixture({ realLimits: true })
  const check = (ip: string) => s.visitor(ip).call('check_password_link', { key: 'x'.repeat(43) })
  for (let n = 0; n < 30; n += 1) await expect(check('198.51.100.1')).rejects.toMatchObject({ code: 'gone' })
  await expect(check('198.51.100.1')).rejects.toMatchObject({ code: 'rate_limited' })
  await expect(check('198.51.100.2')).rejects.toMatchObject({ code: 'gone' })
})

test('wrong passwords of a logged-in person count like failed logins', async () => {
  s = await createAccountsFixture({ realLimits: true })
  await s.person('ann@example.com')
  const visitor = await s.loggedIn('ann@example.com')
  for (let n = 0; n < 5; n += 1)
    await expect(visitor.call('confirm_password', { password: 'wrong' })).rejects.toMatchObject({ code: 'invalid' })
  await expect(visitor.call('confirm_password', { password: goodPassword })).rejects.toMatchObject({
    code: 'rate_limited',
  })
})

test('a password of a mail is not undone by a change with the one before that is under way', async () => {
  const thirdPassword = 'Unwanted-Zebra-44!'
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  s = await createAccountsFixture({
    hashing: {
      async hash(password, group) {
        if (password === thirdPassword) {
          reached.resolve()
          await released.promise
        }
        return cheapHashing.hash(password, group)
      },
    },
  })
  await s.person('ann@example.com')
  const intruder = await s.loggedIn('ann@example.com')
  const change = intruder.call('update_password', { old_password: goodPassword, new_password: thirdPassword })
  // The old password was correct, and the new one is being hashed.
  await reached.promise
  await s.visitor().call('reset_password', { user: 'ann@example.com' })
  await s.visitor().call('update_password', { key: s.linkToken('ann@example.com'), new_password: otherPassword })
  released.resolve()
  await expect(change).rejects.toMatchObject({ code: 'invalid', field: 'old_password' })
  const ann = s.visitor()
  await expect(ann.call('login', { usr: 'ann@example.com', pwd: otherPassword })).resolves.toBe('Logged In')
})
