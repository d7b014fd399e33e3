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
