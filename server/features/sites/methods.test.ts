import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteMethods } from './methods.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let t: TestSites
let member: Session
beforeAll(async () => {
  t = await openTestSites()
  await t.running.documents.transaction(systemSession(), async (tx) => {
    const user = 'max@acme.example'
    await tx.insert(UserDoctype, {
      email: user,
      first_name: 'Max',
      enabled: 1,
      email_verified: 1,
      roles: ['Easydash User'],
    })
    const row = { parent: 'acme', parenttype: 'Organization', parentfield: 'members', user }
    await tx.insert(OrganizationMemberDoctype, { ...row, organization_role: 'Organization User' })
  })
  member = sessionOf('max@acme.example', 'acme')
})
afterAll(() => t?.close())

const call = (name: string, session: Session, server: string, more: Record<string, unknown> = {}) => {
  const method = siteMethods(t.deps).find((one) => one.name.endsWith(`.${name}`))
  if (!method) throw new Error(`There is no method ${name}`)
  const never = () => Promise.reject(new Error('Not used here.'))
  return method.run(
    { server, ...more },
    {
      ...{
        session,
        documents: t.running.documents,
        ip: '203.0.113.7',
        userAgent: 'test browser',
        device: null,
        machineToken: null,
      },
      ...{ signIn: never, rememberDevice: never, signOut: never, notice: () => undefined, extra: () => undefined },
    },
  )
}

test('a member reads the list columns of a server and no others', async () => {
  const standard = ['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx', 'doctype']
  const columns = ['hostname', 'status', 'server_category', 'cloud_provider', 'cpu', 'ram', 'disk']
  const doc = await t.running.documents.get(member, 'Server', t.server.name)
  expect(Object.keys(doc).toSorted()).toEqual([...standard, ...columns, 'favorite', 'organization'].toSorted())
  const filtered = t.running.documents.list(member, 'Server', { fields: ['name'], filters: [['engine', '=', 'fake']] })
  expect(await rejectionOf(filtered)).toMatchObject({ excType: 'DataError' })
})

test('and learns all the same what sites on it can be', async () => {
  expect(await call('get_versions', member, t.server.name)).toEqual(t.engine.phpVersions(null))
  expect(await call('capabilities', member, t.server.name)).toMatchObject({ php_versions: t.engine.phpVersions(null) })
})

test('the addresses of a server are for those who can create a site there, not for those who see one of its sites', async () => {
  const site = await t.insert('shared')
  await t.running.documents.transaction(systemSession(), (tx) =>
    tx.update(ServerDoctype, t.server.name, { public_ipv4: '203.0.113.7', public_ipv6: '2001:db8::7' }),
  )
  await t.act(site.name, 'share', { user: member.user, read: 1 })
  const domain = { domain: 'shop.example.com' }
  const expected = [
    { type: 'A', address: '203.0.113.7' },
    { type: 'AAAA', address: '2001:db8::7' },
  ]
  expect(await call('look_up_domain', member, t.server.name, domain)).toMatchObject({ expected })
  await t.running.documents.transaction(systemSession(), (tx) =>
    tx.update(ServerDoctype, t.server.name, { server_category: 'production' }),
  )
  expect(await call('look_up_domain', member, t.server.name, domain)).toMatchObject({ expected: [], found: [] })
  expect(await call('look_up_domain', t.owner, t.server.name, domain)).toMatchObject({ expected })
  await t.act(site.name, 'unshare', { user: member.user })
})

test('a server of another organization, or a production server for a member, reveals nothing', async () => {
  expect(await rejectionOf(call('get_versions', member, t.otherServer.name))).toMatchObject({ code: 'not_found' })
  await t.running.documents.transaction(systemSession(), (tx) =>
    tx.update(ServerDoctype, t.server.name, { server_category: 'production' }),
  )
  for (const name of ['get_versions', 'capabilities'])
    expect(await rejectionOf(call(name, member, t.server.name))).toMatchObject({ code: 'forbidden' })
  expect(await call('get_versions', t.owner, t.server.name)).toEqual(t.engine.phpVersions(null))
})
