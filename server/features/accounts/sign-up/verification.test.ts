import { afterEach, beforeEach, expect, test } from 'vitest'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { createAccountsFixture, type AccountsFixture } from '#tests/support/accounts.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'

let s: AccountsFixture
beforeEach(async () => {
  s = await createAccountsFixture()
  await s.person('root@example.com', { platformAdmin: true })
  await s.person('new@example.com', { verified: false })
})
afterEach(() => s.close())

const userOf = (email: string) => s.documents.transaction(s.system, (tx) => tx.get(UserDoctype, email))

test("the link verifies in the browser that is logged in, under a new sid, with the page's CSRF token", async () => {
  const visitor = await s.loggedIn('new@example.com')
  const { sid, csrfToken } = visitor
  expect(await visitor.call('is_verified')).toBe(false)
  await visitor.call('resend_verification')
  expect(await visitor.call('verify_email', { token: s.linkToken('new@example.com') })).toEqual({
    email: 'new@example.com',
    redirect: '/web',
    choose_password: false,
  })
  expect(visitor.sid).not.toBe(sid)
  expect(visitor.csrfToken).toBe(csrfToken)
  expect(await visitor.session()).toMatchObject({ verified: true })
  expect(await visitor.call('is_verified', { email: 'root@example.com' })).toBe(true)
  expect(await s.accounts.sessions.resolveCookie(sid ?? '', '203.0.113.7')).toBeNull()
})

test('a link works once, and only for what it was made', async () => {
  const visitor = await s.loggedIn('new@example.com')
  await visitor.call('resend_verification')
  const token = s.linkToken('new@example.com')
  await expect(
    s.visitor().call('update_password', { key: token, new_password: 'Another-Horse-43!' }),
  ).rejects.toMatchObject({ code: 'gone' })
  const tries = await Promise.allSettled([1, 2, 3].map(() => s.visitor().call('verify_email', { token })))
  expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  await expect(s.visitor().call('verify_email', { token })).rejects.toMatchObject({
    code: 'gone',
    excType: 'LinkExpired',
  })
  await expect(s.visitor().call('verify_email', { token: 'x' })).rejects.toMatchObject({ code: 'gone' })
})

test('a link is good for 24 hours', async () => {
  const visitor = await s.loggedIn('new@example.com')
  await visitor.call('resend_verification')
  const { rows } = await s.database.pool.query<{ hours: number }>(
    "select extract(epoch from expires - created)::float8 / 3600 as hours from easydash_token where kind = 'verify'",
  )
  expect(rows[0]?.hours).toBeCloseTo(24, 3)
  await s.database.pool.query("update easydash_token set expires = now() - interval '1 second'")
  await expect(s.visitor().call('verify_email', { token: s.linkToken('new@example.com') })).rejects.toMatchObject({
    code: 'gone',
  })
})

test('another address: the account takes its name when the link is followed, not before', async () => {
  const visitor = await s.loggedIn('new@example.com')
  await visitor.call('change_unverified_email', { email: 'Right@Example.com' })
  expect(await s.accounts.pendingEmail('new@example.com')).toBe('right@example.com')
  expect(await userOf('right@example.com')).toBeNull()
  await visitor.call('resend_verification')
  expect(s.mails.map(({ to }) => to)).toEqual(['right@example.com', 'right@example.com'])
  await s.visitor('198.51.100.1').call('verify_email', { token: s.linkToken('right@example.com') })
  expect(await userOf('new@example.com')).toBeNull()
  expect(await userOf('right@example.com')).toMatchObject({
    email: 'right@example.com',
    owner: 'right@example.com',
    email_verified: 1,
  })
  expect(await visitor.session()).toMatchObject({ user: 'right@example.com', verified: true })
  expect(await s.documents.transaction(s.system, (tx) => tx.get(UserMetaDoctype, 'right@example.com'))).toMatchObject({
    user: 'right@example.com',
  })
  await expect(s.loggedIn('right@example.com')).resolves.toBeDefined()
  await expect(s.loggedIn('new@example.com')).rejects.toMatchObject({ code: 'unauthorized' })
})

test("another person's address: the same answer, and only its owner hears of it", async () => {
  const visitor = await s.loggedIn('new@example.com')
  const free = await visitor.call('change_unverified_email', { email: 'free@example.com' })
  const taken = await visitor.call('change_unverified_email', { email: 'root@example.com' })
  expect(free).toEqual({ email: 'free@example.com', mail_server: false })
  expect(taken).toEqual({ email: 'root@example.com', mail_server: false })
  expect(s.mails.at(-1)).toMatchObject({ to: 'root@example.com', kind: 'account_exists' })
  expect(await userOf('root@example.com')).toMatchObject({ email_verified: 1, role_profile_name: 'Easydash Admin' })
})

test('an address taken in the meantime stays with who took it', async () => {
  const visitor = await s.loggedIn('new@example.com')
  await visitor.call('change_unverified_email', { email: 'wanted@example.com' })
  await s.person('wanted@example.com')
  await expect(s.visitor().call('verify_email', { token: s.linkToken('wanted@example.com') })).rejects.toMatchObject({
    code: 'gone',
  })
  expect(await userOf('new@example.com')).toMatchObject({ email_verified: 0 })
})

test('bad addresses and verified accounts are refused', async () => {
  const visitor = await s.loggedIn('new@example.com')
  await expect(visitor.call('change_unverified_email', { email: 'a b@c' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'email',
  })
  const root = await s.loggedIn('root@example.com')
  await expect(root.call('change_unverified_email', { email: 'x@example.com' })).rejects.toMatchObject({
    code: 'invalid',
  })
  await root.call('resend_verification')
  expect(s.mails).toEqual([])
})

test('guests cannot check or resend a verification', async () => {
  await expect(s.visitor().call('is_verified', { email: 'root@example.com' })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(s.visitor().call('resend_verification')).rejects.toMatchObject({ code: 'forbidden' })
})
