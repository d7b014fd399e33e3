import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { goodPassword, type Visitor } from '#tests/support/accounts.ts'
import { startHostileProvider, type HostileProvider } from '#tests/support/hostile-provider.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { totpCode } from '#tests/support/totp.ts'

const seconds = 1_700_000_000
const bo = 'bo@example.com'
const settings = {
  issuer: 'https://hooks.test',
  client_id: 'client',
  client_secret: 'a secret',
  domains: 'example.com',
}

let provider: HostileProvider
let s: OrganizationFixture
let ann: Visitor
/** Bo, logged in with the password. */
let desk: Visitor
let key: string

const act = async <T = unknown>(visitor: Visitor, action: string, args: Record<string, unknown> = {}): Promise<T> => {
  const session = await visitor.session()
  if (!session) throw new Error('logged out')
  return (await s.documents.runAction(session, 'Organization', 'acme', action, args)) as T
}
const begin = (visitor: Visitor) => visitor.call<{ url: string; attempt: string }>('login_provider.start', { key })
const logIn = async (visitor = s.visitor()): Promise<Visitor> => {
  const { url, attempt } = await begin(visitor)
  await visitor.call('login_provider.finish', { query: provider.login(url), attempt })
  return visitor
}
const system = <T>(work: Parameters<OrganizationFixture['documents']['transaction']>[1]) =>
  s.documents.transaction(s.system, work) as Promise<T>
const memberRow = (user: string) =>
  system<{ name: string }>((tx) =>
    tx.find(OrganizationMemberDoctype, [
      ['user', '=', user],
      ['parent', '=', 'acme'],
    ]),
  )
const links = () => act<{ user: string }[]>(ann, 'list_login_links')
const refused = (message: RegExp) => ({ code: 'forbidden', message: expect.stringMatching(message) as string })

beforeEach(async () => {
  provider = await startHostileProvider()
  s = await createOrganizationFixture({ providerNetwork: provider.network, now: () => seconds * 1000 })
  ann = await s.owner('ann@example.com', 'acme')
  desk = await s.member('acme', bo, 'Organization User')
  const { address } = await act<{ address: string }>(ann, 'set_login_provider', settings)
  key = address.split('/').at(-1) ?? ''
})
afterEach(async () => {
  await s.close()
  await provider.close()
})

describe('the first time, nobody is let in', () => {
  test.each([
    ['whose address is not verified', { email_verified: false }, /doesn’t say that your email address is verified/],
    ['whose address nobody says is verified', { email_verified: undefined }, /doesn’t say/],
    ['without an address', { email: 7 }, /doesn’t say/],
    ['whose address is none', { email: 'bo\0@example.com' }, /doesn’t say/],
    ['whose address becomes a member’s in lower case', { email: 'c\u212Aen@example.com' }, /doesn’t say/],
    ['who is no member', { email: 'cy@example.com' }, /^No member .* cy@example\.com/],
    ['who has no account', { email: 'nobody@example.com' }, /^No member .* nobody@example\.com/],
    ['whose account is disabled', { email: 'off@example.com' }, /^No member .* off@example\.com/],
    ['of another domain', { email: 'dee@elsewhere.example' }, /^Addresses such as dee@elsewhere\.example/],
    [
      'who is in another organization as well',
      { email: 'both@example.com' },
      /^Your account logs in with its password/,
    ],
    ['who administers the installation', { email: 'root@example.com' }, /^Your account logs in with its password/],
  ])('%s', async (_who, claims, message) => {
    await s.person('cy@example.com')
    await s.member('acme', 'cken@example.com', 'Organization User')
    await s.member('acme', 'off@example.com', 'Organization User')
    await system((tx) => tx.update(UserDoctype, 'off@example.com', { enabled: 0 }))
    await s.member('acme', 'dee@elsewhere.example', 'Organization User')
    await s.member('acme', 'both@example.com', 'Organization User')
    await s.owner('eve@example.com', 'globex')
    await s.member('globex', 'both@example.com', 'Organization User')
    await s.person('root@example.com', { platformAdmin: true })
    await s.member('acme', 'root@example.com', 'Organization User')
    provider.claims = claims
    await expect(logIn()).rejects.toMatchObject(refused(message))
    expect(await links()).toEqual([])
    const denied = await system((tx) => tx.list(ActivityDoctype, [['action', '=', 'account.provider_login']]))
    expect(denied).toContainEqual(expect.objectContaining({ organization: 'acme', result: 'Denied' }))
  })
})

test('an address in capitals, and a provider that writes true as a text, are understood', async () => {
  provider.claims = { email: ' Bo@Example.com', email_verified: 'true' }
  expect(await (await logIn()).session()).toMatchObject({ user: bo })
})

test('a recycled address is nobody’s until the member is unlinked', async () => {
  await logIn()
  provider.claims = { sub: 'bo-2' }
  await expect(logIn()).rejects.toMatchObject(refused(/is linked to another account at the provider/))
  await act(ann, 'remove_login_link', { user: bo })
  expect(await (await logIn()).session()).toMatchObject({ user: bo })
  await expect(act(ann, 'remove_login_link', { user: 'ann@example.com' })).rejects.toMatchObject({ field: 'user' })
})

test('an answer works once, in the browser that asked for it, and only while the settings are the same', async () => {
  const visitor = s.visitor()
  const { url, attempt } = await begin(visitor)
  const query = provider.login(url)
  const stranger = s.visitor()
  const foreign = await begin(stranger)
  await expect(stranger.call('login_provider.finish', { query, attempt: foreign.attempt })).rejects.toMatchObject({
    code: 'gone',
  })
  await visitor.call('login_provider.finish', { query: provider.login(url), attempt })
  await expect(visitor.call('login_provider.finish', { query, attempt })).rejects.toMatchObject({ code: 'gone' })

  const late = await begin(visitor)
  await s.database.pool.query(`update easydash_provider_attempt set expires = now()`)
  await expect(
    visitor.call('login_provider.finish', { query: provider.login(late.url), attempt: late.attempt }),
  ).rejects.toMatchObject({ code: 'gone' })
  const before = await begin(visitor)
  await act(ann, 'set_login_provider', { ...settings, client_id: 'other' })
  await expect(
    visitor.call('login_provider.finish', { query: provider.login(before.url), attempt: before.attempt }),
  ).rejects.toMatchObject({ code: 'gone' })
})

describe('sessions end', () => {
  const ends: [string, () => Promise<unknown>][] = [
    ['when the member is unlinked', () => act(ann, 'remove_login_link', { user: bo })],
    [
      'when the member is removed',
      async () => {
        const { name } = await memberRow(bo)
        await system((tx) => tx.delete(OrganizationMemberDoctype, name))
      },
    ],
    ['when the account is disabled', () => system((tx) => tx.update(UserDoctype, bo, { enabled: 0 }))],
    ['when the organization is disabled', () => system((tx) => tx.update(OrganizationDoctype, 'acme', { enabled: 0 }))],
    [
      'when another issuer is set',
      () => {
        return act(ann, 'set_login_provider', { ...settings, issuer: 'https://hooks.test/other' })
      },
    ],
    [
      'when the member joins another organization',
      async () => {
        await s.owner('eve@example.com', 'globex')
        await s.member('globex', bo, 'Organization User')
      },
    ],
    [
      'when the member creates another organization with the password',
      () => {
        return s.insert(desk, 'Organization', { title: 'Mine', slug: 'mine' })
      },
    ],
    [
      'when the account becomes one of the platform',
      () => {
        return system((tx) => tx.update(UserDoctype, bo, { role_profile_name: 'Easydash Admin' }))
      },
    ],
    ['when the link alone is gone', () => s.database.pool.query('delete from easydash_provider_link')],
  ]
  test.each(ends)('%s', async (_when, change) => {
    const visitor = await logIn()
    expect(await visitor.session()).toMatchObject({ user: bo })
    await change()
    await expect.poll(() => visitor.session(), { timeout: 10_000 }).toBeNull()
  })
})

test('whoever lost access cannot come in again, and nothing says why to a stranger', async () => {
  await logIn()
  const { name } = await memberRow(bo)
  await system((tx) => tx.delete(OrganizationMemberDoctype, name))
  await expect(logIn()).rejects.toMatchObject(refused(/^No member/))
  const unknown = { code: 'not_found', message: 'Nobody logs in at this address.' }
  await expect(s.visitor().call('login_provider.show', { key: 'no-such-key' })).rejects.toMatchObject(unknown)
  await system((tx) => tx.update(OrganizationDoctype, 'acme', { enabled: 0 }))
  for (const method of ['show', 'start'])
    await expect(s.visitor().call(`login_provider.${method}`, { key })).rejects.toMatchObject(unknown)
})

test('a session through the provider confirms the password for what outlasts it, and joins nothing', async () => {
  const visitor = await logIn()
  expect(visitor.device).toBeNull()
  const publicKey = `ssh-ed25519 ${Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, 7)]).toString('base64')}`
  const add = () => s.insert(visitor, 'SSH Key', { public_key: publicKey, parent: bo })
  await expect(add()).rejects.toMatchObject({ code: 'forbidden', field: 'password' })
  await expect(s.insert(visitor, 'Organization', { title: 'Mine', slug: 'mine' })).rejects.toMatchObject(
    refused(/logged in through the provider of another organization/),
  )
  await visitor.call('confirm_password', { password: goodPassword })
  expect(await visitor.session()).toMatchObject({ loginProvider: 'acme', reauthAt: expect.any(Number) as number })
  await add()
})

test('two-factor authentication is asked for, and the session is still one of the provider', async () => {
  const { secret } = await desk.call<{ secret: string }>('two_factor.begin')
  const code = (shift: number) => totpCode(secret, Math.floor(seconds / 30) + shift)
  await desk.call('two_factor.confirm', { otp: code(0) })
  const visitor = s.visitor()
  const { url, attempt } = await begin(visitor)
  expect(await visitor.call('login_provider.finish', { query: provider.login(url), attempt })).toBeUndefined()
  expect(await visitor.session()).toBeNull()
  const tmp_id = visitor.extras['tmp_id']
  await expect(visitor.call('login', { tmp_id, otp: '000000' })).rejects.toMatchObject({ code: 'unauthorized' })
  await visitor.call('login', { tmp_id, otp: code(1) })
  expect(await visitor.session()).toMatchObject({ user: bo, loginProvider: 'acme', reauthAt: null })

  const again = s.visitor()
  const second = await begin(again)
  await again.call('login_provider.finish', { query: provider.login(second.url), attempt: second.attempt })
  await act(ann, 'remove_login_link', { user: bo })
  await expect(again.call('login', { tmp_id: again.extras['tmp_id'], otp: code(2) })).rejects.toMatchObject({
    code: 'unauthorized',
  })
})

test('members see which sessions came from the provider, and unlink themselves', async () => {
  const visitor = await logIn()
  const sessions = await desk.call<{ current: boolean; login_provider: string | null }[]>('sessions.list')
  expect(sessions.map(({ current, login_provider }) => [current, login_provider])).toEqual([
    [true, null],
    [false, 'hooks.test'],
  ])
  expect(await desk.call('login_provider.links')).toMatchObject([{ organization: 'acme', host: 'hooks.test' }])
  expect(await ann.call('login_provider.links')).toEqual([])
  const unlink = (who: Visitor) => who.call('login_provider.unlink', { organization: 'acme' })
  await expect(unlink(ann)).rejects.toMatchObject({ code: 'not_found' })
  expect(await unlink(visitor)).toEqual({ logged_out: true })
  expect(await visitor.session()).toBeNull()
  expect([await desk.call('login_provider.links'), await links()]).toEqual([[], []])
  await logIn(visitor)
  expect(await unlink(desk)).toEqual({ logged_out: false })
  expect([await visitor.session(), (await desk.session())?.user]).toEqual([null, bo])
  const log = await system((tx) => tx.list(ActivityDoctype, [['action', '=', 'account.unlink_provider']]))
  expect(log).toMatchObject(Array(2).fill({ actor: bo, organization: 'acme' }))
})

test('the login address is mailed to those whom the provider lets in, and nobody learns who they are', async () => {
  await s.person('cy@example.com')
  await s.member('acme', 'dee@elsewhere.example', 'Organization User')
  await s.person('root@example.com', { platformAdmin: true })
  await s.member('acme', 'root@example.com', 'Organization User')
  const before = s.mails.length
  const stranger = s.visitor()
  const answers = []
  for (const user of [
    'Bo@example.com',
    'cy@example.com',
    'dee@elsewhere.example',
    'root@example.com',
    'nobody@x.example',
  ])
    answers.push(await stranger.call('login_provider.mail_address', { user }))
  expect(new Set(answers).size).toBe(1)
  expect(s.mails.slice(before)).toMatchObject([
    { to: bo, kind: 'login_address', text: expect.stringContaining(`/web/sso/${key}`) as string },
  ])
  // Strangers can't fill a mailbox, and don't learn that there is one.
  const { hit } = s.rateLimiter
  const limited = vi.spyOn(s.rateLimiter, 'hit').mockImplementation(async (name, ...of) => {
    if (name === 'login_address_mail') throw new AppError('rate_limited', msg`Too many.`)
    return hit(name, ...of)
  })
  answers.push(await stranger.call('login_provider.mail_address', { user: bo }))
  expect(limited).toHaveBeenCalledWith('login_address_mail', bo)
  expect([new Set(answers).size, s.mails.length]).toEqual([1, before + 1])
})

test('removing the credentials removes the provider; a new address ends the old one', async () => {
  await logIn()
  const { address } = await act<{ address: string }>(ann, 'renew_login_address')
  await expect(begin(s.visitor())).rejects.toMatchObject({ code: 'not_found' })
  key = address.split('/').at(-1) ?? ''
  const visitor = await logIn()
  await system((tx) => tx.update(OrganizationDoctype, 'acme', { client_id: null, client_secret: null }))
  expect(await s.organization('acme')).toMatchObject({ login_issuer: null, login_domains: null, login_key: null })
  expect(await visitor.session()).toBeNull()
  await expect(act(ann, 'renew_login_address')).rejects.toMatchObject({ code: 'invalid' })
})

test('what a member did is in the activity log, without a secret', async () => {
  await logIn()
  const entries = await system<{ action: string; actor: string; organization: string | null }[]>((tx) =>
    tx.list(ActivityDoctype, []),
  )
  const about = (action: string) => entries.filter((entry) => entry.action === action)
  expect(about('account.link_provider')).toMatchObject([{ actor: bo, organization: 'acme' }])
  expect(about('account.provider_login')).toMatchObject([{ actor: bo, reference_name: bo }])
  expect(about('Organization.set_login_provider')).toMatchObject([{ actor: 'ann@example.com' }])
  expect(JSON.stringify(entries)).not.toContain('a secret')
})
