import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { createAccountsFixture, goodPassword, type AccountsFixture } from '#tests/support/accounts.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'

let s: AccountsFixture
afterEach(() => s.close())

const form = (extra: Record<string, unknown> = {}) => ({
  first_name: 'Ann',
  last_name: 'Lee',
  email: 'ann@example.com',
  password: goodPassword,
  termsAndCondition: 1,
  accept_newsletter: 1,
  ...extra,
})

const userOf = (email: string) => s.documents.transaction(s.system, (tx) => tx.get(UserDoctype, email))
const setupToken = async () => new URL((await s.accounts.setupLink()) ?? '').searchParams.get('setup') ?? ''

describe('the first account', () => {
  beforeEach(async () => {
    s = await createAccountsFixture()
  })

  test('the setup link makes a verified platform admin who is signed in', async () => {
    const link = await s.accounts.setupLink()
    expect(link).toMatch(/^http:\/\/dash\.test\/web\/signup\?setup=[\w-]{43}$/)
    const visitor = s.visitor()
    const response = await visitor.call('sign_up', form({ setup_token: new URL(link ?? '').searchParams.get('setup') }))
    expect(response).toMatchObject({ status: 'signed_in', redirect: '/web' })
    expect(await visitor.session()).toMatchObject({
      user: 'ann@example.com',
      platformAdmin: true,
      verified: true,
      organization: null,
      fullName: 'Ann Lee',
    })
    expect(await userOf('ann@example.com')).toMatchObject({
      owner: 'ann@example.com',
      full_name: 'Ann Lee',
      email_verified: 1,
      role_profile_name: 'Easydash Admin',
      roles: ['Easydash User'],
      accept_newsletter: 1,
    })
    expect(await s.documents.transaction(s.system, (tx) => tx.get(UserMetaDoctype, 'ann@example.com'))).toMatchObject({
      user: 'ann@example.com',
    })
    const activities = await s.documents.transaction(s.system, (tx) =>
      tx.list(ActivityDoctype, [['actor', '=', 'ann@example.com']]),
    )
    expect(activities).toContainEqual(expect.objectContaining({ action: 'account.login', result: 'Done' }))
    expect(await s.accounts.setupLink()).toBeNull()
    expect(s.mails).toEqual([])
  })

  test('requires the setup token for the first account', async () => {
    await s.accounts.setupLink()
    await expect(s.visitor().call('sign_up', form())).rejects.toMatchObject({
      code: 'forbidden',
      nextAction: { text: expect.stringContaining('terminal') as string },
    })
    await expect(s.visitor().call('sign_up', form({ setup_token: 'x'.repeat(43) }))).rejects.toMatchObject({
      code: 'gone',
    })
    expect(await userOf('ann@example.com')).toBeNull()
  })

  test('a new start makes a new link and the old one stops working', async () => {
    const old = await setupToken()
    const fresh = await setupToken()
    await expect(s.visitor().call('sign_up', form({ setup_token: old }))).rejects.toMatchObject({ code: 'gone' })
    await expect(s.visitor().call('sign_up', form({ setup_token: fresh }))).resolves.toMatchObject({
      status: 'signed_in',
    })
  })

  test('a form that is refused does not use the link up', async () => {
    const setup_token = await setupToken()
    await expect(s.visitor().call('sign_up', form({ setup_token, password: 'password12' }))).rejects.toMatchObject({
      code: 'invalid',
      field: 'password',
    })
    await expect(s.visitor().call('sign_up', form({ setup_token }))).resolves.toMatchObject({ status: 'signed_in' })
  })

  test('one of several concurrent sign-ups wins', async () => {
    const setup_token = await setupToken()
    const tries = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => s.visitor().call('sign_up', form({ email: `p${n}@example.com`, setup_token }))),
    )
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'gone' })
    const users = await s.documents.transaction(s.system, (tx) => tx.list(UserDoctype, []))
    expect(users).toHaveLength(1)
    expect(users[0]).toMatchObject({ role_profile_name: 'Easydash Admin' })
  })

  test('the token is stored as a hash only', async () => {
    const token = await setupToken()
    const { rows } = await s.database.pool.query('select * from easydash_token')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})

describe('later accounts', () => {
  beforeEach(async () => {
    s = await createAccountsFixture()
    await s.person('root@example.com', { platformAdmin: true })
  })

  test('sign-up, mail, link: then the account is a user of the platform, and no admin', async () => {
    const visitor = s.visitor()
    const response = await visitor.call('sign_up', form({ email: ' Ann@Example.com ', org_sku: 'Starter' }))
    expect(response).toMatchObject({
      status: 'check_mail',
      mail_server: false,
      message: expect.stringContaining('doesn’t send email') as string,
    })
    expect(await visitor.session()).toBeNull()
    expect(await userOf('ann@example.com')).toMatchObject({
      email_verified: 0,
      roles: [],
      role_profile_name: null,
      org_sku: 'Starter',
    })
    expect(s.mails[0]).toMatchObject({ to: 'ann@example.com', kind: 'verify_email' })
    await s.visitor().call('verify_email', { token: s.linkToken('ann@example.com') })
    expect(await userOf('ann@example.com')).toMatchObject({
      email_verified: 1,
      roles: ['Easydash User'],
      role_profile_name: null,
    })
    await visitor.call('login', { usr: 'ann@example.com', pwd: goodPassword })
    expect(await visitor.session()).toMatchObject({ verified: true, platformAdmin: false })
  })

  test('a setup link works once', async () => {
    await expect(s.visitor().call('sign_up', form({ setup_token: 'x'.repeat(43) }))).rejects.toMatchObject({
      code: 'gone',
    })
  })

  test('a known address gets the same response and an email that explains it', async () => {
    await s.person('ann@example.com')
    const known = await s.visitor().call('sign_up', form({ password: 'Another-Horse-43!' }))
    const unknown = await s.visitor().call('sign_up', form({ email: 'eve@example.com' }))
    expect(JSON.stringify(known).replaceAll('ann@', 'x@')).toBe(JSON.stringify(unknown).replaceAll('eve@', 'x@'))
    expect(s.mails.map(({ to, kind }) => [to, kind])).toEqual([
      ['ann@example.com', 'account_exists'],
      ['eve@example.com', 'verify_email'],
    ])
    await expect(s.visitor().call('login', { usr: 'ann@example.com', pwd: 'Another-Horse-43!' })).rejects.toMatchObject(
      { code: 'unauthorized' },
    )
  })

  describe('sign-ups with one address and different passwords', () => {
    const attackers = 'Attacker-Horse-44!'
    const next = 'Chosen-Horse-45!'
    const byOwner = () => s.visitor().call('sign_up', form())
    const byAttacker = () =>
      s.visitor('198.51.100.9').call('sign_up', form({ first_name: 'Mallory', password: attackers }))
    const login = (pwd: string) => s.visitor('192.0.2.1').call('login', { usr: 'ann@example.com', pwd })
    const tokens = () => s.mails.map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1] ?? '')

    test.each([
      ['the attacker first, the own link', [byAttacker, byOwner], 1],
      ["the attacker first, the attacker's link", [byAttacker, byOwner], 0],
      ['the attacker later, the own link', [byOwner, byAttacker], 0],
      ["the attacker later, the attacker's newer link", [byOwner, byAttacker], 1],
      ['the attacker again and again', [byAttacker, byOwner, byAttacker], 2],
    ])('%s: who follows it chooses a new one', async (_what, order, followed) => {
      for (const one of order) await one()
      const attacker = s.visitor('198.51.100.9')
      await attacker.call('login', { usr: 'ann@example.com', pwd: attackers }).catch(() => undefined)
      const response = await s.visitor().call<{ redirect: string }>('verify_email', { token: tokens()[followed] })
      expect(response).toMatchObject({ email: 'ann@example.com', choose_password: true })
      expect(await attacker.session()).toBeNull()
      for (const old of [attackers, goodPassword])
        await expect(login(old)).rejects.toMatchObject({ code: 'unauthorized' })
      const key = new URL(response.redirect, 'http://dash.test').searchParams.get('key')
      expect(response.redirect).toMatch(/^\/web\/reset-password\?key=/)
      await s.visitor().call('update_password', { key, new_password: next })
      await expect(login(next)).resolves.toBe('Logged In')
      await expect(login(attackers)).rejects.toMatchObject({ code: 'unauthorized' })
      expect(await userOf('ann@example.com')).toMatchObject({ email_verified: 1, full_name: 'ann' })
    })

    test('requesting the email of an earlier sign-up again grants nothing', async () => {
      await byAttacker()
      const attacker = s.visitor('198.51.100.9')
      await attacker.call('login', { usr: 'ann@example.com', pwd: attackers })
      await byOwner()
      await attacker.call('resend_verification')
      expect(s.mails).toHaveLength(3)
      const response = await s.visitor().call('verify_email', { token: tokens()[2] })
      expect(response).toMatchObject({ choose_password: true })
      expect(await attacker.session()).toBeNull()
      await expect(login(attackers)).rejects.toMatchObject({ code: 'unauthorized' })
    })

    test('the right password keeps the account of the link, and a wrong one does not use up the link', async () => {
      await byAttacker()
      await byOwner()
      const token = tokens()[1]
      await expect(s.visitor().call('verify_email', { token, password: 'Wrong-Horse-46!' })).rejects.toMatchObject({
        code: 'invalid',
        field: 'password',
      })
      expect(await s.visitor().call('verify_email', { token, password: goodPassword })).toMatchObject({
        choose_password: false,
        redirect: '/web/login',
      })
      await expect(login(goodPassword)).resolves.toBe('Logged In')
      await expect(login(attackers)).rejects.toMatchObject({ code: 'unauthorized' })
      expect(await userOf('ann@example.com')).toMatchObject({ full_name: 'Ann Lee' })
    })

    test('of what a stranger set before, nothing is left to the owner who signs up: only their own settings remain', async () => {
      await s.visitor().call('sign_up', form({ first_name: 'Mallory', password: attackers, org_sku: 'Pro' }))
      const stranger = s.visitor('198.51.100.9')
      await stranger.call('login', { usr: 'ann@example.com', pwd: attackers })
      const session = await stranger.session()
      if (!session) throw new Error('not logged in')
      await s.documents.save(session, 'User', 'ann@example.com', { bio: 'Mallory', phone: '+49301234567' })
      const settings = { ssh_username: 'mallory', preferences: { theme: 'dark' } }
      await s.documents.save(session, 'User Meta', 'ann@example.com', settings)
      await s.database.pool.query(
        `insert into easydash_second_factor ("user", secret, enabled_at) values ('ann@example.com', 'x', now())`,
      )

      await s.visitor().call('sign_up', form({ accept_newsletter: 0, org_sku: 'Starter' }))
      await s.visitor().call('verify_email', { token: tokens()[1], password: goodPassword })
      expect(await stranger.session()).toBeNull()
      const own = { full_name: 'Ann Lee', email_verified: 1, accept_newsletter: 0, org_sku: 'Starter' }
      expect(await userOf('ann@example.com')).toMatchObject({ ...own, bio: null, phone: null })
      expect(await s.documents.transaction(s.system, (tx) => tx.get(UserMetaDoctype, 'ann@example.com'))).toMatchObject(
        {
          ssh_username: null,
          preferences: null,
        },
      )
      expect((await s.database.pool.query('select from easydash_second_factor')).rowCount).toBe(0)
    })

    test('in the own session the password of that session stays', async () => {
      await byOwner()
      const ann = await s.loggedIn('ann@example.com')
      await byAttacker()
      expect(await ann.call('verify_email', { token: tokens()[1] })).toMatchObject({ redirect: '/web' })
      await expect(login(goodPassword)).resolves.toBe('Logged In')
      await expect(login(attackers)).rejects.toMatchObject({ code: 'unauthorized' })
      expect(await userOf('ann@example.com')).toMatchObject({ full_name: 'Ann Lee' })
    })

    test('signing up again with the same password is not a conflict', async () => {
      await byOwner()
      await s.visitor().call('sign_up', form({ first_name: 'Anna' }))
      expect(await s.visitor().call('verify_email', { token: tokens()[1] })).toMatchObject({ choose_password: false })
      await expect(login(goodPassword)).resolves.toBe('Logged In')
      expect(await userOf('ann@example.com')).toMatchObject({ full_name: 'Anna Lee' })
    })
  })

  test('two concurrent sign-ups with the same new address create one account', async () => {
    const responses = await Promise.all([
      s.visitor('198.51.100.1').call('sign_up', form()),
      s.visitor('198.51.100.2').call('sign_up', form()),
    ])
    expect(responses[0]).toEqual(responses[1])
    expect(s.mails).toHaveLength(2)
    const { rows } = await s.database.pool.query("select count(*) as n from tab_user where name = 'ann@example.com'")
    expect(rows[0]).toEqual({ n: 1 })
  })

  test('every wrong field is named, and nothing is written or sent', async () => {
    const wrong = {
      first_name: ' ',
      last_name: 'x'.repeat(61),
      email: 'ann@',
      password: '',
      termsAndCondition: 0,
      org_sku: 'Gold',
    }
    await expect(s.visitor().call('sign_up', wrong)).rejects.toMatchObject({
      code: 'invalid',
      field: 'first_name',
      messages: ['first_name', 'last_name', 'email', 'password', 'termsAndCondition', 'org_sku'].map(
        (field) => expect.objectContaining({ field }) as unknown,
      ),
    })
    expect(s.mails).toEqual([])
  })

  test.each([
    ['short', 'Tq7!xz9', 'Use at least 10 characters.'],
    ['guessable', 'password12', 'easy to guess'],
    ['the own address', 'ann@example.com', 'easy to guess'],
    ['too long', 'x9$Lq2#vKw'.repeat(13), '128'],
  ])('a password that is %s is refused', async (_what, password, message) => {
    await expect(s.visitor().call('sign_up', form({ password }))).rejects.toMatchObject({
      field: 'password',
      message: expect.stringContaining(message) as string,
    })
  })

  test('a password is the same in both Unicode forms', async () => {
    await s.visitor().call('sign_up', form({ password: 'Cafe\u0301-Horse-42!xyz' }))
    await expect(s.visitor().call('login', { usr: 'ann@example.com', pwd: 'Caf\u00e9-Horse-42!xyz' })).resolves.toBe(
      'Logged In',
    )
  })

  test('markup in a name never reaches an email', async () => {
    await s.visitor().call('sign_up', form({ first_name: 'http://evil.example', last_name: '<b>win</b>' }))
    expect(`${s.mails[0]?.text}${s.mails[0]?.html}${s.mails[0]?.subject}`).not.toMatch(/evil|win/)
  })
})

test('EASYDASH_SIGNUP=invite requires an invitation', async () => {
  s = await createAccountsFixture({ signup: 'invite' })
  const setup_token = await setupToken()
  await expect(s.visitor().call('sign_up', form({ setup_token }))).resolves.toMatchObject({ status: 'signed_in' })
  await expect(s.visitor().call('sign_up', form({ email: 'eve@example.com' }))).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('invitation') as string,
  })
})

test('five sign-ups an hour from one address', async () => {
  s = await createAccountsFixture({ realLimits: true })
  await s.person('root@example.com')
  const visitor = s.visitor()
  for (let n = 0; n < 5; n += 1) await visitor.call('sign_up', form({ email: `p${n}@example.com` }))
  await expect(visitor.call('sign_up', form())).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: expect.any(Number) as number,
  })
  await expect(s.visitor('198.51.100.1').call('sign_up', form())).resolves.toMatchObject({ status: 'check_mail' })
})

test('with a mail server the answer says that the mail was sent', async () => {
  s = await createAccountsFixture({ smtpUrl: 'smtp://mail.example' })
  await s.person('root@example.com', { platformAdmin: true })
  await expect(s.visitor().call('sign_up', form())).resolves.toMatchObject({
    mail_server: true,
    message: expect.stringContaining('we sent a message') as string,
  })
})
