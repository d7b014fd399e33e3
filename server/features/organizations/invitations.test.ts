import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InviteResult } from '#shared/responses/invitations.ts'
import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { MemberInviteDoctype, type MemberInvite } from '#shared/doctypes/member-invite.ts'
import { OrganizationMemberDoctype, type OrganizationMember } from '#shared/doctypes/organization-member.ts'
import type { Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let s: OrganizationFixture
let ann: Visitor
const open = async (options: Parameters<typeof createOrganizationFixture>[0] = {}) => {
  s = await createOrganizationFixture(options)
  ann = await s.owner('ann@example.com', 'acme')
}
beforeEach(() => open())
afterEach(() => s.close())

const invite = (users: unknown, more: Record<string, unknown> = {}, by = ann) =>
  by.call<InviteResult[]>('invite_members', { users, ...more })
const invited = async (email: string, role = 'Organization User') => {
  await invite([email], { organization_role: role })
  return s.linkToken(email)
}
const system = <T>(fn: Parameters<OrganizationFixture['documents']['transaction']>[1]) =>
  s.documents.transaction(s.system, fn) as Promise<T>
const invites = () => system<MemberInvite[]>((tx) => tx.list(MemberInviteDoctype, []))
const memberOf = (user: string) =>
  system<OrganizationMember | null>((tx) =>
    tx.find(OrganizationMemberDoctype, [
      ['parent', '=', 'acme'],
      ['user', '=', user],
    ]),
  )
const act = async (visitor: Visitor, doctype: string, name: string, action: string, args = {}) => {
  const session = await visitor.session()
  if (!session) throw new Error('logged out')
  return s.documents.runAction(session, doctype, name, action, args)
}
const lapse = (email: string) =>
  s.database.pool.query(`update tab_member_invite set expires = now() - interval '1 minute' where "user" = $1`, [email])
const listed = async (visitor: Visitor) =>
  (await act(visitor, 'Organization', 'acme', 'list_invitations')) as Record<string, unknown>[]

describe('inviting', () => {
  test('invites many addresses in one call: each has its own result, and only valid ones get an email', async () => {
    await s.member('acme', 'mem@example.com', 'Organization User')
    await invited('twice@example.com')
    s.mails.length = 0
    const results = await invite([
      ' New@Example.com ',
      'new@example.com',
      'mem@example.com',
      'ann@example.com',
      'twice@example.com',
      'not an address',
      'other@example.com',
    ])
    expect(results.map(({ status }) => status)).toEqual([
      'pending',
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'pending',
    ])
    expect(results.map(({ message }) => message)).toEqual([
      null,
      expect.stringContaining('twice'),
      expect.stringContaining('a member already'),
      expect.stringContaining('your own address'),
      expect.stringContaining('invited already'),
      expect.stringContaining('email address'),
      null,
    ])
    // Without a mail server, the response must not suggest that an email was sent.
    expect(results.map(({ mail_server }) => mail_server)).toEqual([false, ...Array(5).fill(undefined), false])
    expect(results.map(({ mailed }) => mailed)).toEqual([false, ...Array(5).fill(undefined), false])
    expect(s.mails.map(({ to }) => to)).toEqual(['new@example.com', 'other@example.com'])
    expect(await listed(ann)).toHaveLength(3)
  })

  test('text of addresses is a list, too; nothing and too many are refused', async () => {
    expect(await invite('a@example.com, b@example.com;\n c@example.com')).toHaveLength(3)
    for (const users of ['', [], [1], {}, Array.from({ length: 51 }, (_, n) => `p${n}@example.com`)])
      await expect(invite(users)).rejects.toMatchObject({ code: 'invalid', field: 'users' })
  })

  test('the answer is the same whether the address has an account', async () => {
    await s.person('known@example.com')
    const [known, unknown] = await invite(['known@example.com', 'unknown@example.com'])
    expect({ ...known, name: '', user: '' }).toEqual({ ...unknown, name: '', user: '' })
    const [first, second] = s.mails.slice(-2).map((mail) => mail.text.replaceAll(/known@|unknown@|token=\S+/g, ''))
    expect(first).toBe(second)
  })

  test('the mail names organization, inviter and role; nothing in them can be followed', async () => {
    await s.documents.transaction(s.system, (tx) =>
      tx.update(OrganizationDoctype, 'acme', { title: 'Win at https://evil.example/x <b>' }),
    )
    await invited('new@example.com', 'Organization Manager')
    const mail = s.mails.at(-1)
    expect(mail?.text).toContain('as Manager')
    expect(mail?.text).toContain('Test Person')
    expect(mail?.text).not.toContain('https://evil')
    expect(mail?.html).not.toContain('<b>')
    const links = [...(mail?.html ?? '').matchAll(/href="([^"]+)"/g)].map((match) => new URL(match[1] ?? '').origin)
    expect(new Set(links)).toEqual(new Set(['http://dash.test']))
  })

  test('managers can invite plain members only; members cannot invite', async () => {
    const manager = await s.member('acme', 'manager@example.com', 'Organization Manager')
    const member = await s.member('acme', 'mem@example.com', 'Organization User')
    expect(await invite(['a@example.com'], {}, manager)).toMatchObject([{ status: 'pending' }])
    for (const organization_role of ['Organization Admin', 'Organization Manager'])
      await expect(invite(['b@example.com'], { organization_role }, manager)).rejects.toMatchObject({
        code: 'forbidden',
      })
    await expect(invite(['b@example.com'], {}, member)).rejects.toMatchObject({ code: 'forbidden' })
    await invited('boss@example.com', 'Organization Admin')
    expect((await listed(manager)).map(({ user }) => user)).toEqual(['a@example.com'])
    await expect(listed(member)).rejects.toMatchObject({ code: 'forbidden' })
    const boss = (await invites()).find(({ user }) => user === 'boss@example.com')
    for (const action of ['resend', 'copy_link', 'revoke'])
      await expect(act(manager, 'Member Invite', boss?.name ?? '', action)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('all invitations are listed, the newest first, also where there are more than one list request gives', async () => {
    await invited('first@example.com')
    await s.database.pool.query(`insert into tab_member_invite
        select (jsonb_populate_record(t, jsonb_build_object('name', 'row' || n, 'user', 'p' || n || '@example.com',
          'token_hash', t.token_hash || n, 'creation', t.creation + n * interval '1 second'))).*
        from tab_member_invite t, generate_series(1, 600) n`)
    const users = (await listed(ann)).map(({ user }) => user)
    expect(new Set(users).size).toBe(601)
    expect([users[0], users.at(-1)]).toEqual(['p600@example.com', 'first@example.com'])
  })

  test('another organization and its invitations do not exist', async () => {
    const eve = await s.owner('eve@example.com', 'globex')
    await invited('new@example.com')
    const [row] = await invites()
    await expect(invite(['x@example.com'], { organization: 'acme' }, eve)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(act(eve, 'Member Invite', row?.name ?? '', 'revoke')).rejects.toMatchObject({ code: 'not_found' })
    await expect(act(eve, 'Organization', 'acme', 'list_invitations')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('50 a day in an organization; what was refused does not count', async () => {
    await s.close()
    await open({ realLimits: true })
    await invite(['bad address', 'ann@example.com'])
    const all = Array.from({ length: 50 }, (_, n) => `p${n}@example.com`)
    expect((await invite(all)).every(({ status }) => status === 'pending')).toBe(true)
    expect(await invite(['last@example.com'])).toMatchObject([
      { status: 'failed', message: expect.stringContaining('Too many') as string },
    ])
    expect(await invites()).toHaveLength(50)
    const [row] = await invites()
    await expect(act(ann, 'Member Invite', row?.name ?? '', 'resend')).rejects.toMatchObject({ code: 'rate_limited' })
    const eve = await s.owner('eve@example.com', 'globex')
    expect(await invite(['x@example.com'], {}, eve)).toMatchObject([{ status: 'pending' }])
  })

  test('five emails an hour to one mailbox from all organizations; inviting still works', async () => {
    await s.close()
    await open({ realLimits: true, smtpUrl: 'smtp://mail.example' })
    const makers = [ann]
    for (let n = 0; n < 6; n += 1) makers.push(await s.owner(`owner${n}@example.com`, `org${n}`))
    const results: (boolean | undefined)[] = []
    for (const maker of makers) {
      const [result] = await invite(['new@example.com'], {}, maker)
      expect(result?.status).toBe('pending')
      results.push(result?.mailed)
    }
    expect(results).toEqual([true, true, true, true, true, false, false])
    expect(s.mails.filter(({ to }) => to === 'new@example.com')).toHaveLength(5)
    // Resending is rate limited, and the link in the mailbox keeps working.
    const link = s.mails.map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1])[0] ?? ''
    const [first] = (await invites()).toSorted((a, b) => (a.creation < b.creation ? -1 : 1))
    await expect(act(ann, 'Member Invite', first?.name ?? '', 'resend')).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await s.visitor().call('check_invitation', { token: link })).toMatchObject({ status: 'pending' })
    // An invitation that was not emailed has a link to copy.
    const [last] = (await invites()).toSorted((a, b) => (a.creation < b.creation ? 1 : -1))
    expect(last).toMatchObject({ sent: null, expires: expect.any(String) as string })
    const maker = makers.at(-1) as Visitor
    const { link: copied } = (await act(maker, 'Member Invite', last?.name ?? '', 'copy_link')) as { link: string }
    const token = new URL(copied).searchParams.get('token')
    expect(await s.visitor().call('check_invitation', { token })).toMatchObject({ user: 'new@example.com' })
  })

  test.each([
    ['without a mail server', undefined, null],
    ['with a mail server', 'smtp://mail.example', expect.any(String)],
  ] as const)('%s, an invitation and its renewal say whether they were emailed', async (_where, smtpUrl, mailed) => {
    await s.close()
    await open(smtpUrl && { smtpUrl })
    await invited('new@example.com')
    expect(await invites()).toMatchObject([{ sent: mailed, link_created: expect.any(String) as string }])
    await act(ann, 'Member Invite', (await invites())[0]?.name ?? '', 'resend')
    expect(await invites()).toMatchObject([{ sent: mailed, link_created: expect.any(String) as string }])
    // One that is given up says so, until there is another one.
    const failed = (when: string) =>
      s.database.pool.query(`insert into easydash_mail ("to", subject, text, html, kind, status, created)
        values ('new@example.com', '', '', '', 'invitation', 'Failed', (now() at time zone 'utc') - interval '${when}')`)
    await failed('1 hour')
    expect(await listed(ann)).toMatchObject([{ undelivered: false }])
    await failed('0')
    expect(await listed(ann)).toMatchObject([{ undelivered: smtpUrl !== undefined }])
  })

  test('two concurrent invitations of one address create one', async () => {
    const tries = await Promise.all([1, 2, 3].map(() => invite(['new@example.com'])))
    expect(tries.flat().filter(({ status }) => status === 'pending')).toHaveLength(1)
    expect(await invites()).toHaveLength(1)
  })
})

describe('links', () => {
  test('a new link replaces the old one; a copied link is shown once and not emailed', async () => {
    const first = await invited('new@example.com')
    const [row] = await invites()
    await act(ann, 'Member Invite', row?.name ?? '', 'resend')
    const second = s.linkToken('new@example.com')
    expect(second).not.toBe(first)
    await expect(s.visitor().call('check_invitation', { token: first })).rejects.toMatchObject({ code: 'gone' })
    const mails = s.mails.length
    const { link } = (await act(ann, 'Member Invite', row?.name ?? '', 'copy_link')) as { link: string }
    expect(link).toMatch(/^http:\/\/dash\.test\/web\/invitation\?token=[\w-]{43}$/)
    expect(s.mails).toHaveLength(mails)
    await expect(s.visitor().call('check_invitation', { token: second })).rejects.toMatchObject({ code: 'gone' })
    const token = new URL(link).searchParams.get('token')
    expect(await s.visitor().call('check_invitation', { token })).toMatchObject({ status: 'pending' })
  })

  test('the secret is nowhere but in the link', async () => {
    const token = await invited('new@example.com')
    const session = await ann.session()
    if (!session) throw new Error('logged out')
    const [row] = await s.documents.list(session, 'Member Invite', { fields: ['*'] })
    expect(row).not.toHaveProperty('token_hash')
    for (const filters of [[['token_hash', 'is', 'set']], [['token_hash', 'like', 'a%']]])
      await expect(s.documents.list(session, 'Member Invite', { filters })).rejects.toMatchObject({
        excType: 'DataError',
      })
    const entries = await system<Activity[]>((tx) => tx.list(ActivityDoctype, []))
    const { rows } = await s.database.pool.query('select * from tab_member_invite')
    expect(JSON.stringify([entries, rows])).not.toContain(token)
    expect(JSON.stringify(entries)).not.toMatch(/[0-9a-f]{64}.*token_hash|token_hash/)
  })

  test('anybody with the link learns what it is about, not whether the address has an account', async () => {
    const token = await invited('new@example.com', 'Organization Manager')
    const before = await s.visitor().call('check_invitation', { token })
    expect(before).toEqual({
      organization: 'acme',
      organization_title: 'acme',
      invited_by: 'Test Person',
      user: 'new@example.com',
      organization_role: 'Organization Manager',
      status: 'pending',
      expires: expect.any(String) as string,
    })
    await s.person('new@example.com')
    expect(await s.visitor().call('check_invitation', { token })).toEqual(before)
    await expect(s.visitor().call('check_invitation', { token: 'x'.repeat(43) })).rejects.toMatchObject({
      code: 'gone',
      excType: 'LinkExpired',
    })
  })

  test('seven days, then it is expired in every list and can be sent again', async () => {
    const token = await invited('new@example.com')
    const [row] = await invites()
    const days = (Date.parse(`${row?.expires?.slice(0, 19)}Z`) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.99)
    expect(days).toBeLessThanOrEqual(7)
    await lapse('new@example.com')
    expect(await s.visitor().call('check_invitation', { token })).toMatchObject({ status: 'expired' })
    await s.person('new@example.com')
    const visitor = await s.loggedIn('new@example.com')
    await expect(visitor.call('accept_invitation', { token })).rejects.toMatchObject({ code: 'gone' })
    await s.runScheduled('organizations.expire_invitations')
    expect(await invites()).toMatchObject([{ status: 'expired' }])
    expect(await listed(ann)).toMatchObject([{ user: 'new@example.com', status: 'expired' }])
    await act(ann, 'Member Invite', row?.name ?? '', 'resend')
    expect(await listed(ann)).toMatchObject([{ status: 'pending' }])
    await visitor.call('accept_invitation', { token: s.linkToken('new@example.com') })
  })

  test('an expired invitation makes room for a new one of the same address', async () => {
    await invited('new@example.com')
    await lapse('new@example.com')
    expect(await invite(['new@example.com'])).toMatchObject([{ status: 'pending' }])
    expect(await invites()).toHaveLength(1)
  })
})

describe('accepting', () => {
  test('the invited user joins with the invited role and switches to the organization', async () => {
    const token = await invited('new@example.com', 'Organization Manager')
    await s.person('new@example.com')
    const visitor = await s.loggedIn('new@example.com')
    expect(await visitor.call('accept_invitation', { token })).toEqual({ organization: 'acme' })
    expect(await memberOf('new@example.com')).toMatchObject({ organization_role: 'Organization Manager' })
    expect((await visitor.session())?.organization).toBe('acme')
    expect(await invites()).toMatchObject([{ status: 'verified', joined: expect.any(String) as string }])
    await expect(visitor.call('accept_invitation', { token })).rejects.toMatchObject({
      code: 'gone',
      message: 'This invitation was used already.',
    })
    const entries = await system<Activity[]>((tx) => tx.list(ActivityDoctype, [['actor', '=', 'new@example.com']]))
    expect(entries.map(({ action }) => action)).toContain('Member Invite.accept')
  })

  test('other accounts, unverified ones and guests cannot use the link', async () => {
    const token = await invited('new@example.com')
    await s.person('eve@example.com')
    const eve = await s.loggedIn('eve@example.com')
    await expect(eve.call('accept_invitation', { token })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(eve.call('decline_invitation', { token })).rejects.toMatchObject({ code: 'forbidden' })
    await s.person('new@example.com', { verified: false })
    const unverified = await s.loggedIn('new@example.com')
    await expect(unverified.call('accept_invitation', { token })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(s.visitor().call('accept_invitation', { token })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await memberOf('new@example.com')).toBeNull()
    expect(await invites()).toMatchObject([{ status: 'pending' }])
  })

  test('declining ends it; the list shows it as declined', async () => {
    const token = await invited('new@example.com')
    await s.person('new@example.com')
    const visitor = await s.loggedIn('new@example.com')
    expect(await visitor.call('decline_invitation', { token })).toBeNull()
    await expect(visitor.call('accept_invitation', { token })).rejects.toMatchObject({ code: 'gone' })
    expect(await listed(ann)).toMatchObject([{ status: 'expired', declined: expect.any(String) as string }])
  })

  test('one of two concurrent accepts joins; revoked and disabled invitations cannot be accepted', async () => {
    const token = await invited('new@example.com')
    await s.person('new@example.com')
    const visitor = await s.loggedIn('new@example.com')
    const tries = await Promise.allSettled([1, 2, 3, 4].map(() => visitor.call('accept_invitation', { token })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await system((tx) => tx.count(OrganizationMemberDoctype, [['user', '=', 'new@example.com']]))).toBe(1)
  })

  test('accept against revoke: either a member, or no invitation and no member', async () => {
    await s.person('new@example.com')
    const visitor = await s.loggedIn('new@example.com')
    const outcomes = new Set<string>()
    for (let n = 0; n < 6; n += 1) {
      const token = await invited('new@example.com')
      const row = (await invites()).find(({ status }) => status === 'pending')
      const first = n % 2 === 0
      const accept = () => visitor.call('accept_invitation', { token })
      const revoke = () => act(ann, 'Member Invite', row?.name ?? '', 'revoke')
      const [a, b] = await Promise.allSettled(first ? [accept(), revoke()] : [revoke(), accept()])
      const accepted = (first ? a : b)?.status === 'fulfilled'
      const member = await memberOf('new@example.com')
      expect(member !== null).toBe(accepted)
      outcomes.add(String(accepted))
      if (member) await system((tx) => tx.delete(OrganizationMemberDoctype, member.name))
      for (const one of await invites()) await system((tx) => tx.delete(MemberInviteDoctype, one.name))
    }
    expect(outcomes.size).toBeGreaterThan(0)
  })

  test('a disabled organization accepts no new members', async () => {
    const token = await invited('new@example.com')
    await s.person('new@example.com')
    const visitor = await s.loggedIn('new@example.com')
    await s.documents.transaction(s.system, (tx) => tx.update(OrganizationDoctype, 'acme', { enabled: 0 }))
    await expect(visitor.call('check_invitation', { token })).rejects.toMatchObject({ code: 'gone' })
    await expect(visitor.call('accept_invitation', { token })).rejects.toMatchObject({ code: 'gone' })
  })

  test('removal and demotion of the inviter end their open invitations', async () => {
    const admin = await s.member('acme', 'admin@example.com', 'Organization Admin')
    await invite(['boss@example.com'], { organization_role: 'Organization Admin' }, admin)
    await invite(['plain@example.com'], {}, admin)
    const row = await memberOf('admin@example.com')
    const session = await ann.session()
    if (!session || !row) throw new Error('nothing to change')
    const statuses = async () => (await listed(ann)).map(({ user, status }) => [user, status])
    await s.documents.save(session, 'Organization Member', row.name, { organization_role: 'Organization Manager' })
    expect(await statuses()).toEqual([
      ['plain@example.com', 'pending'],
      ['boss@example.com', 'expired'],
    ])
    await s.documents.delete(session, 'Organization Member', row.name)
    expect(await statuses()).toEqual([
      ['plain@example.com', 'expired'],
      ['boss@example.com', 'expired'],
    ])
  })
})
