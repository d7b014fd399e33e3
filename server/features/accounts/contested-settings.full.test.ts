/** Decision 10: settings made before the address was verified do not pass to the user who verifies it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createAccountsFixture, goodPassword, type AccountsFixture, type Visitor } from '#tests/support/accounts.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { SshKeyDoctype } from '#shared/doctypes/ssh-key.ts'

let s: AccountsFixture
beforeEach(async () => {
  s = await createAccountsFixture()
  await s.person('root@example.com', { platformAdmin: true })
})
afterEach(() => s.close())

const email = 'ann@example.com'
const attackers = 'Attacker-Horse-44!'
const next = 'Chosen-Horse-45!'
const marker = 'mallory'

const signUp = (password: string, more: Record<string, unknown> = {}) =>
  s.visitor().call('sign_up', {
    first_name: 'Ann',
    last_name: 'Lee',
    email,
    password,
    termsAndCondition: 1,
    ...more,
  })
const userOf = () => s.documents.transaction(s.system, (tx) => tx.get(UserDoctype, email))
const tokens = () => s.mails.map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1] ?? '')

/** A stranger signs up with Ann's address, logs in and sets everything an unverified account can set. */
async function signUpStranger(): Promise<Visitor> {
  await signUp(attackers, { first_name: marker, last_name: marker, accept_newsletter: 1, org_sku: 'Pro' })
  const visitor = s.visitor('198.51.100.9')
  await visitor.call('login', { usr: email, pwd: attackers })
  const session = await visitor.session()
  if (!session) throw new Error('not logged in')
  await s.documents.save(session, 'User', email, {
    ...{ username: marker, bio: marker, location: marker, interest: marker, gender: marker, phone: '+49301234567' },
    ...{ mobile_no: '+49301234567', birth_date: '2000-01-01', time_zone: 'Europe/Berlin', language: 'de' },
    user_image: 'https://mallory.example/me.png',
  })
  await s.documents.save(session, 'User Meta', email, {
    ssh_username: marker,
    github_username: marker,
    preferences: { [marker]: 1 },
  })
  // More than any client could store for this account.
  await s.documents.transaction(s.system, async (tx) => {
    const attached = { attached_to_doctype: 'User', attached_to_name: email }
    await tx.insert(FileDoctype, { file_name: `${marker}.png`, is_private: 1, ...attached }, { owner: email })
    await tx.insert(FileDoctype, { file_name: `${marker}2.png`, is_private: 1 }, { owner: email })
    const key = `ssh-ed25519 ${Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, 7)]).toString('base64')}`
    await tx.insert(SshKeyDoctype, { parent: email, public_key: key, title: marker })
    await s.database.pool.query(
      `insert into easydash_second_factor ("user", secret, enabled_at) values ($1, 'x', now())`,
      [email],
    )
  })
  return visitor
}

/** Every row of every table that still names the stranger, except the activity log, which is never purged. */
async function tablesNamingStranger(): Promise<string[]> {
  const found: string[] = []
  for (const type of doctypes.filter(({ name }) => name !== 'Activity')) {
    const rows = await s.documents.transaction(s.system, (tx) => tx.list(type.name, []))
    if (JSON.stringify(rows).includes(marker)) found.push(type.name)
  }
  for (const table of ['easydash_second_factor', 'easydash_session', 'easydash_known_place']) {
    const { rows } = await s.database.pool.query(
      `select 1 from ${table} where "user" = $1 ${table === 'easydash_session' ? 'and ended is null' : ''}`,
      [email],
    )
    if (rows.length > 0) found.push(table)
  }
  return found
}

const chosen = (redirect: string) => new URL(redirect, 'http://dash.test').searchParams.get('key')

describe('a stranger signed up with the address and configured the account; the owner of the address', () => {
  test('keeps the settings until the address is verified', async () => {
    await signUpStranger()
    expect(await tablesNamingStranger()).toEqual([
      'User',
      'User Meta',
      'SSH Key',
      'File',
      'easydash_second_factor',
      'easydash_session',
      'easydash_known_place',
    ])
  })

  test.each([0, 1])(
    'signs up, follows a link (%i) and chooses a password: nothing of the stranger is left',
    async (n) => {
      const visitor = await signUpStranger()
      await signUp(goodPassword)
      const response = await s.visitor().call<{ redirect: string }>('verify_email', { token: tokens()[n] })
      expect(response).toMatchObject({ choose_password: true })
      expect(await tablesNamingStranger()).toEqual([])
      expect(await visitor.session()).toBeNull()
      expect(await userOf()).toMatchObject({
        email_verified: 1,
        first_name: 'ann',
        last_name: null,
        accept_newsletter: 0,
        org_sku: null,
        language: 'en',
        user_image: null,
        bio: null,
        phone: null,
      })
      await s.visitor().call('update_password', { key: chosen(response.redirect), new_password: next })
      await s.visitor().call('login', { usr: email, pwd: next })
    },
  )

  test('requests a new password instead: the link proves the mailbox, and all settings of the stranger are removed', async () => {
    const visitor = await signUpStranger()
    await visitor.call('change_unverified_email', { email: 'mallory@example.com' })
    await s.visitor().call('reset_password', { user: email })
    await s.visitor().call('update_password', { key: s.linkToken(email), new_password: next })
    expect(await tablesNamingStranger()).toEqual([])
    expect(await visitor.session()).toBeNull()
    // The account can no longer be moved to the stranger's mailbox, …
    await expect(s.visitor().call('verify_email', { token: s.linkToken('mallory@example.com') })).rejects.toMatchObject(
      { code: 'gone' },
    )
    // … and the link of the stranger's sign-up, emailed to the owner, restores none of the stranger's values.
    expect(await s.visitor().call('verify_email', { token: tokens()[0] })).toMatchObject({ choose_password: false })
    expect(await tablesNamingStranger()).toEqual([])
    const owner = s.visitor()
    await owner.call('login', { usr: email, pwd: next })
    expect(await owner.session()).toMatchObject({ verified: true, fullName: 'ann' })
  })

  test('finds in the log that settings were removed', async () => {
    await signUpStranger()
    await signUp(goodPassword)
    await s.visitor().call('verify_email', { token: tokens()[1] })
    const entries = await s.documents.transaction(s.system, (tx) =>
      tx.list(ActivityDoctype, [['action', '=', 'account.forget_settings']]),
    )
    expect(entries).toMatchObject([{ actor: email, reference_name: email }])
  })
})

describe('an uncontested address', () => {
  test('settings of the own session stay when its link is followed', async () => {
    await signUp(goodPassword)
    const ann = await s.loggedIn(email)
    const session = await ann.session()
    if (!session) throw new Error('not logged in')
    await s.documents.save(session, 'User', email, { bio: 'Bees' })
    await signUp(attackers)
    await ann.call('verify_email', { token: tokens()[1] })
    expect(await userOf()).toMatchObject({ bio: 'Bees', full_name: 'Ann Lee', email_verified: 1 })
  })

  test('a forgotten password of a verified account takes no settings away', async () => {
    await s.person(email)
    const ann = await s.loggedIn(email)
    const session = await ann.session()
    if (!session) throw new Error('not logged in')
    await s.documents.save(session, 'User', email, { bio: 'Bees' })
    await s.visitor().call('reset_password', { user: email })
    await s.visitor().call('update_password', { key: s.linkToken(email), new_password: next })
    expect(await userOf()).toMatchObject({ bio: 'Bees', full_name: 'Test Person' })
  })

  test('a key mailed to an old address does not open the account of the new one', async () => {
    await signUp(goodPassword)
    const ann = await s.loggedIn(email)
    await s.visitor().call('reset_password', { user: email })
    const key = s.linkToken(email)
    await ann.call('change_unverified_email', { email: 'right@example.com' })
    await s.visitor().call('verify_email', { token: s.linkToken('right@example.com') })
    await expect(s.visitor().call('update_password', { key, new_password: next })).rejects.toMatchObject({
      code: 'gone',
    })
  })
})

test('an unverified account makes no organization and no API token, joins none and adds no key', async () => {
  const visitor = await signUpStranger()
  const session = await visitor.session()
  if (!session) throw new Error('not logged in')
  await expect(
    s.documents.insert(session, 'Organization', { title: 'Mallory', slug: 'mallory' }),
  ).rejects.toMatchObject({ code: 'forbidden' })
  await expect(
    visitor.call('easydash.api.tokens.create', { title: 'x', scopes: ['sites:read'] }),
  ).rejects.toMatchObject({ code: 'forbidden' })
  await expect(
    s.documents.insert(session, 'SSH Key', { public_key: 'ssh-ed25519 AAAA', title: 'x' }),
  ).rejects.toMatchObject({ code: 'forbidden' })
})
