import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ListedMember } from '#shared/responses/members.ts'
import type { Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SshKeyDoctype } from '#shared/doctypes/ssh-key.ts'

let s: OrganizationFixture
let owner: Visitor
beforeEach(async () => {
  s = await createOrganizationFixture()
  owner = await s.owner('ann@acme.example', 'acme')
})
afterEach(() => s.close())

async function listed(visitor: Visitor, organization = 'acme'): Promise<ListedMember[]> {
  const session = await visitor.session()
  if (!session) throw new Error('nobody is logged in')
  return (await s.documents.runAction(session, 'Organization', organization, 'list_members', {})) as ListedMember[]
}
const rowOf = (rows: readonly ListedMember[], user: string) => rows.find((row) => row.user === user)

test('says of everybody who they are, what they see and how they sign in', async () => {
  await s.member('acme', 'mo@acme.example', 'Organization Manager')
  await s.member('acme', 'kim@acme.example', 'Organization User')
  await s.documents.transaction(s.system, async (tx) => {
    const server = await tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test' })
    const site = (domain: string, who: string, status = 'Live') =>
      tx.insert(
        'Site',
        { organization: 'acme', domain, server: server.name, site_type: 'html', status },
        { owner: who },
      )
    const shared = await site('blog', 'ann@acme.example')
    await site('own', 'kim@acme.example')
    await site('old', 'kim@acme.example', 'Archived')
    await site('unseen', 'ann@acme.example')
    const share = { organization: 'acme', share_doctype: 'Site', share_name: shared.name, read: 1 }
    await tx.insert('DocShare', { ...share, user: 'kim@acme.example' })
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'
    await tx.insert(SshKeyDoctype, { parent: 'kim@acme.example', public_key: key })
  })
  await s.database.pool.query(
    `insert into easydash_second_factor ("user", secret, enabled_at) values ('kim@acme.example', 'sealed', now())`,
  )
  const rows = await listed(owner)
  expect(rows.map(({ user }) => user)).toEqual(['ann@acme.example', 'mo@acme.example', 'kim@acme.example'])
  expect(rowOf(rows, 'kim@acme.example')).toMatchObject({
    organization_role: 'Organization User',
    is_owner: false,
    sites: 2,
    ssh_keys: 1,
    two_factor: true,
  })
  expect(rowOf(rows, 'ann@acme.example')).toMatchObject({
    organization_role: 'Organization Admin',
    is_owner: true,
    sites: null,
    ssh_keys: 0,
    two_factor: false,
    last_active: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/) as string,
  })
})

test('a manager learns who is there, not how they sign in', async () => {
  const manager = await s.member('acme', 'mo@acme.example', 'Organization Manager')
  const rows = await listed(manager)
  expect(rows).toHaveLength(2)
  for (const row of rows) expect(row).toMatchObject({ ssh_keys: null, two_factor: null, last_active: null })
})

test('a member gets the own row, other organizations nothing', async () => {
  const member = await s.member('acme', 'kim@acme.example', 'Organization User')
  const stranger = await s.owner('eve@globex.example', 'globex')
  expect((await listed(member)).map(({ user }) => user)).toEqual(['kim@acme.example'])
  await expect(listed(stranger)).rejects.toMatchObject({ code: 'not_found' })
})

test('activity in another organization stays there', async () => {
  const eve = await s.owner('eve@globex.example', 'globex')
  await s.documents.transaction(s.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'eve@globex.example',
      organization_role: 'Organization User',
    }),
  )
  expect(await eve.session()).toMatchObject({ organization: 'globex' })
  expect(rowOf(await listed(owner), 'eve@globex.example')).toMatchObject({ last_active: null })
})

test('lists more people than one request of a list gives', async () => {
  await s.database.pool
    .query(`insert into tab_user (name, owner, creation, modified, modified_by, docstatus, idx, email, first_name, full_name)
    select 'p' || n || '@acme.example', 'System', now(), now(), 'System', 0, 0, 'p' || n || '@acme.example', 'P', 'P ' || n
    from generate_series(1, 600) n`)
  await s.database.pool
    .query(`insert into tab_organization_member (name, owner, creation, modified, modified_by, docstatus, idx, parent, parenttype, parentfield, "user", organization_role)
    select 'row' || n, 'System', now(), now(), 'System', 0, n, 'acme', 'Organization', 'members', 'p' || n || '@acme.example', 'Organization User'
    from generate_series(1, 600) n`)
  const rows = await listed(owner)
  expect(new Set(rows.map(({ user }) => user)).size).toBe(601)
})
