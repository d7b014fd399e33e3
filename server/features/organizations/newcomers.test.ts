import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MemberInviteDoctype, type MemberInvite } from '#shared/doctypes/member-invite.ts'
import { OrganizationMemberDoctype, type OrganizationMember } from '#shared/doctypes/organization-member.ts'
import { goodPassword, type Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let s: OrganizationFixture
let ann: Visitor
const open = async (options: Parameters<typeof createOrganizationFixture>[0] = {}) => {
  s = await createOrganizationFixture(options)
  ann = await s.owner('ann@example.com', 'acme')
}
beforeEach(() => open())
afterEach(() => s.close())

const invited = async (email: string, organization_role = 'Organization User') => {
  await ann.call('invite_members', { users: [email], organization_role })
  return s.linkToken(email)
}
const system = <T>(fn: Parameters<OrganizationFixture['documents']['transaction']>[1]) =>
  s.documents.transaction(s.system, fn) as Promise<T>
const invites = () => system<MemberInvite[]>((tx) => tx.list(MemberInviteDoctype, []))
const memberOf = (user: string) =>
  system<OrganizationMember | null>((tx) => tx.find(OrganizationMemberDoctype, [['user', '=', user]]))
const act = async (visitor: Visitor, doctype: string, name: string, action: string) => {
  const session = await visitor.session()
  if (!session) throw new Error('logged out')
  return s.documents.runAction(session, doctype, name, action, {})
}
const lapse = (email: string) =>
  s.database.pool.query(`update tab_member_invite set expires = now() - interval '1 minute' where "user" = $1`, [email])

describe('a newcomer', () => {
  const signUp = (email: string, invite_token: string, visitor = s.visitor()) =>
    visitor.call('sign_up', {
      first_name: 'Nia',
      last_name: 'New',
      email,
      password: goodPassword,
      termsAndCondition: 1,
      invite_token,
    })

  test('signs up with the link, verifies the mailbox and lands in the organization', async () => {
    await s.close()
    await open({ signup: 'invite' })
    const token = await invited('new@example.com', 'Organization Manager')
    expect(await signUp('New@Example.com', token)).toMatchObject({ status: 'check_mail' })
    expect(await memberOf('new@example.com')).toBeNull()
    const visitor = s.visitor()
    await visitor.call('verify_email', { token: s.linkToken('new@example.com') })
    expect(await memberOf('new@example.com')).toMatchObject({ organization_role: 'Organization Manager' })
    const signedIn = await s.loggedIn('new@example.com')
    expect((await signedIn.session())?.organization).toBe('acme')
  })

  test('while sign-up is closed, only an open invitation of the same address lets in', async () => {
    await s.close()
    await open({ signup: 'invite' })
    const token = await invited('new@example.com')
    await expect(signUp('new@example.com', '')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(signUp('new@example.com', 'x'.repeat(43))).rejects.toMatchObject({ code: 'gone' })
    await expect(signUp('eve@example.com', token)).rejects.toMatchObject({ code: 'invalid', field: 'email' })
    await lapse('new@example.com')
    await expect(signUp('new@example.com', token)).rejects.toMatchObject({ code: 'gone' })
    expect(await system((tx) => tx.count(UserDoctype, []))).toBe(1)
  })

  test('the invitation does not verify: without the mailed link the account stays closed', async () => {
    await invited('new@example.com')
    const { link } = (await act(ann, 'Member Invite', (await invites())[0]?.name ?? '', 'copy_link')) as {
      link: string
    }
    await signUp('new@example.com', new URL(link).searchParams.get('token') ?? '')
    const visitor = await s.loggedIn('new@example.com')
    expect((await visitor.session())?.verified).toBe(false)
    await expect(
      visitor.call('accept_invitation', { token: new URL(link).searchParams.get('token') }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('the mail sent again leads there as well', async () => {
    const token = await invited('new@example.com')
    await signUp('new@example.com', token)
    const visitor = await s.loggedIn('new@example.com')
    await visitor.call('resend_verification')
    await visitor.call('verify_email', { token: s.linkToken('new@example.com') })
    expect((await visitor.session())?.organization).toBe('acme')
  })

  test('an invitation withdrawn meanwhile does not keep the mailbox from being verified', async () => {
    const token = await invited('new@example.com')
    await signUp('new@example.com', token)
    await act(ann, 'Member Invite', (await invites())[0]?.name ?? '', 'revoke')
    await s.visitor().call('verify_email', { token: s.linkToken('new@example.com') })
    const visitor = await s.loggedIn('new@example.com')
    expect(await visitor.session()).toMatchObject({ verified: true, organization: null })
  })
})

describe('without a mail server, a colleague confirms who signed up with a link', () => {
  const signUp = (email: string, invite_token: string, password = goodPassword) =>
    s.visitor().call('sign_up', {
      first_name: 'Nia',
      last_name: 'New',
      email,
      password,
      termsAndCondition: 1,
      invite_token,
    })
  const confirm = async (visitor: Visitor) =>
    (await act(visitor, 'Member Invite', (await invites())[0]?.name ?? '', 'confirm')) as { link: string | null }

  test('with one click; both sides see that it waits', async () => {
    const token = await invited('new@example.com', 'Organization Manager')
    await expect(confirm(ann)).rejects.toMatchObject({ code: 'invalid', field: 'signed_up' })
    expect(await signUp('new@example.com', token)).toMatchObject({
      message: 'Log in. The people who invited you confirm your account.',
    })
    expect(await invites()).toMatchObject([{ status: 'pending', signed_up: expect.any(String) as string }])
    const waiting = await s.loggedIn('new@example.com')
    expect((await waiting.session())?.verified).toBe(false)
    expect(await waiting.call('waiting_for')).toMatchObject({ organization: expect.any(String) as string })
    expect(await confirm(ann)).toEqual({ link: null })
    expect(await waiting.session()).toMatchObject({ verified: true, organization: 'acme' })
    expect(await memberOf('new@example.com')).toMatchObject({ organization_role: 'Organization Manager' })
    expect(await waiting.call('waiting_for')).toBeNull()
    await expect(confirm(ann)).rejects.toMatchObject({ code: 'gone' })
  })

  test('also when the link they signed up with is older than a day', async () => {
    await signUp('new@example.com', await invited('new@example.com'))
    await s.database.pool.query(`update easydash_token set expires = now() - interval '1 minute' where kind = 'verify'`)
    expect(await confirm(ann)).toEqual({ link: null })
    expect((await (await s.loggedIn('new@example.com')).session())?.organization).toBe('acme')
  })

  test('the person who waits is told who confirms them, for as long as they can be confirmed', async () => {
    await signUp('new@example.com', await invited('new@example.com'))
    await s.database.pool.query(`update easydash_token set expires = now() - interval '1 minute' where kind = 'verify'`)
    const waiting = await s.loggedIn('new@example.com')
    const names = { organization: expect.any(String) as string, invited_by: expect.any(String) as string }
    expect(await waiting.call('waiting_for')).toEqual({ ...names, ended: false })
    const { name } = (await invites())[0] ?? { name: '' }
    const { link } = (await act(ann, 'Member Invite', name, 'copy_link')) as { link: string }
    expect(await waiting.call('waiting_for')).toEqual({ ...names, ended: true })
    await expect(confirm(ann)).rejects.toMatchObject({ code: 'invalid', field: 'signed_up' })
    await waiting.call('ask_for_confirmation', { token: new URL(link).searchParams.get('token') })
    expect(await waiting.call('waiting_for')).toEqual({ ...names, ended: false })
    await lapse('new@example.com')
    expect(await waiting.call('waiting_for')).toEqual({ ...names, ended: true })
    await act(ann, 'Member Invite', name, 'revoke')
    expect(await waiting.call('waiting_for')).toEqual({ organization: null, invited_by: null, ended: true })
  })

  test('whoever opens the invitation again and again asks once', async () => {
    await s.close()
    await open({ realLimits: true })
    const token = await invited('new@example.com')
    await signUp('new@example.com', token)
    const waiting = await s.loggedIn('new@example.com')
    for (let visit = 0; visit < 5; visit += 1) await waiting.call('ask_for_confirmation', { token })
    expect(await waiting.call('waiting_for')).toMatchObject({ ended: false })
  })

  test('who signed up with different passwords chooses a new one, by a link to pass on', async () => {
    const token = await invited('new@example.com')
    await signUp('new@example.com', token)
    await signUp('new@example.com', token, 'another-Canary-17-lantern')
    const { link } = await confirm(ann)
    expect(link).toMatch(/^http:\/\/dash\.test\/web\/reset-password\?key=/)
    await expect(s.loggedIn('new@example.com')).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await memberOf('new@example.com')).not.toBeNull()
  })

  test('passwords of expired links count as different, too', async () => {
    const token = await invited('new@example.com')
    await signUp('new@example.com', token, 'another-Canary-17-lantern')
    await signUp('new@example.com', token)
    await s.database.pool.query(`update easydash_token set expires = now() - interval '1 minute' where kind = 'verify'`)
    expect((await confirm(ann)).link).toMatch(/reset-password/)
    for (const password of ['another-Canary-17-lantern', goodPassword])
      await expect(s.visitor().call('login', { usr: 'new@example.com', pwd: password })).rejects.toMatchObject({
        code: 'unauthorized',
      })
  })

  test.each([
    ['a link that they passed on', ['another-Canary-17-lantern', goodPassword]],
    ['the sign-up that they confirmed', [goodPassword]],
  ])('a password that others may know from %s opens this organization only', async (_how, passwords) => {
    const eve = await s.owner('eve@example.com', 'evil')
    await eve.call('invite_members', { users: ['new@example.com'], organization_role: 'Organization User' })
    const theirs = s.linkToken('new@example.com')
    for (const password of passwords) await signUp('new@example.com', theirs, password)
    const { link } = await confirm(eve)
    const choose = (key: string, new_password: string) => s.visitor().call('update_password', { key, new_password })
    if (link !== null) await choose(new URL(link).searchParams.get('key') ?? '', goodPassword)

    const token = await invited('new@example.com')
    const accept = async (pwd: string) => {
      const person = s.visitor()
      await person.call('login', { usr: 'new@example.com', pwd })
      return person.call('accept_invitation', { token })
    }
    await expect(accept(goodPassword)).rejects.toMatchObject({ code: 'forbidden', excType: 'PermissionError' })
    await s.visitor().call('reset_password', { user: 'new@example.com' })
    await choose(s.linkToken('new@example.com'), 'Chosen-Horse-45!')
    expect(await accept('Chosen-Horse-45!')).toEqual({ organization: 'acme' })
  })

  describe('and the word of another organization', () => {
    let eve: Visitor
    const inviteIn = async (organization: string) =>
      (await invites()).find((one) => one.organization === organization && one.user === 'new@example.com')?.name ?? ''
    const confirmIn = async (visitor: Visitor, organization: string) =>
      act(visitor, 'Member Invite', await inviteIn(organization), 'confirm')

    beforeEach(async () => {
      eve = await s.owner('eve@example.com', 'evil')
      await eve.call('invite_members', { users: ['new@example.com'], organization_role: 'Organization User' })
      await signUp('new@example.com', s.linkToken('new@example.com'), 'another-Canary-17-lantern')
      await signUp('new@example.com', await invited('new@example.com', 'Organization Admin'))
    })

    test('opens no other one: who has a confirmed account accepts with the link', async () => {
      await confirmIn(eve, 'evil')
      await expect(confirmIn(ann, 'acme')).rejects.toMatchObject({ code: 'invalid', field: 'signed_up' })
      expect(
        await system((tx) => tx.list(OrganizationMemberDoctype, [['user', '=', 'new@example.com']])),
      ).toMatchObject([{ parent: 'evil' }])
    })

    test('adds nobody who is confirmed already', async () => {
      await confirmIn(ann, 'acme')
      await expect(confirmIn(eve, 'evil')).rejects.toMatchObject({ code: 'invalid', field: 'signed_up' })
      expect(await memberOf('new@example.com')).toMatchObject({ parent: 'acme' })
    })

    test('tells the person who signed up with it nothing of others', async () => {
      const stranger = s.visitor()
      await stranger.call('login', { usr: 'new@example.com', pwd: 'another-Canary-17-lantern' })
      const { title } = (await s.organization('evil')) ?? {}
      expect(await stranger.call('waiting_for')).toMatchObject({ organization: title, ended: false })
      await stranger.call('resend_verification')
      expect(await stranger.call('waiting_for')).toMatchObject({ organization: title, ended: false })
    })
  })

  test('a sign-up with an address that has an account is noted like any other, and cannot be confirmed', async () => {
    await s.person('old@example.com')
    await signUp('old@example.com', await invited('old@example.com'))
    expect(await invites()).toMatchObject([{ user: 'old@example.com', signed_up: expect.any(String) as string }])
    await expect(confirm(ann)).rejects.toMatchObject({ code: 'invalid', field: 'signed_up' })
  })

  test('only those who may invite that role can, and never where mail is delivered', async () => {
    const bob = await s.member('acme', 'bob@example.com', 'Organization Manager')
    await signUp('new@example.com', await invited('new@example.com', 'Organization Admin'))
    await expect(confirm(bob)).rejects.toMatchObject({ code: 'forbidden' })
    await s.close()
    await open({ smtpUrl: 'smtp://mail.example.com' })
    await signUp('new@example.com', await invited('new@example.com'))
    expect(await invites()).toMatchObject([{ signed_up: null }])
    await expect(confirm(ann)).rejects.toMatchObject({ code: 'invalid' })
  })
})
