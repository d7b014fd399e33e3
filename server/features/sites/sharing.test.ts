import { mkdtemp, rm } from 'node:fs/promises'
import { ownHost } from '#server/engines/hosts.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { DocShareDoctype, type DocShare } from '#shared/doctypes/doc-share.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { createProductDatabase } from '#tests/support/database.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { makeOrganization, shortPauses, startTestProcess, untilEnded } from '#tests/support/jobs.ts'
import { createSiteEngine } from '#tests/support/site-engine.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { createSites } from './sites.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { testSiteDeps } from '#tests/support/buckets.ts'

let s: TestSites
let site: string
let mia: Session
let bob: Session
let mara: Session

beforeAll(async () => {
  s = await openTestSites()
  mia = await member('mia@acme.example', 'Organization User')
  bob = await member('bob@acme.example', 'Organization User')
  mara = await member('mara@acme.example', 'Organization Manager')
  site = (await s.live('shared', { site_type: 'html' })).name
})
afterAll(() => s.close())

const documents = () => s.deps.documents()
const system = <T>(fn: Parameters<ReturnType<typeof documents>['transaction']>[1]) =>
  documents().transaction(systemSession(), fn) as Promise<T>

async function member(email: string, role: OrganizationRole): Promise<Session> {
  await system(async (tx) => {
    await tx.insert(UserDoctype, { email, first_name: email.split('@')[0], enabled: 1, email_verified: 1 })
    await tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: email,
      organization_role: role,
    })
  })
  return sessionOf(email, 'acme')
}

const share = (bits: Record<string, unknown>, by: Session = s.owner, user = 'mia@acme.example') =>
  s.act(site, 'share', { user, ...bits }, by)
const rights = async (who: Session) => {
  const { read, write, share } = await documents().permissions(who, 'Site', site)
  return `${read}${write}${share}`
}
const shares = () => documents().runAction(s.owner, 'Site', site, 'list_shares', {})

test('bits: read sees, write changes, share is like the owner; submit stays 0 and is never shown', async () => {
  expect(await rights(mia)).toBe('000')
  expect(await share({})).toEqual({ user: 'mia@acme.example', full_name: null, read: 1, write: 0, share: 0 })
  expect(await rights(mia)).toBe('100')
  await expect(share({ share: 1 }, mia)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(documents().runAction(mia, 'Site', site, 'list_shares', {})).rejects.toMatchObject({ code: 'forbidden' })
  expect(await share({ read: 0, write: 1, submit: 1 })).toEqual({
    user: 'mia@acme.example',
    full_name: null,
    read: 1,
    write: 1,
    share: 0,
  })
  expect(await rights(mia)).toBe('110')
  await expect(share({ read: 1 }, mia, 'bob@acme.example')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await share({ share: 1 })).toMatchObject({ read: 1, write: 1, share: 1 })
  expect(await rights(mia)).toBe('111')
  expect(await share({ read: 1 }, mia, 'bob@acme.example')).toMatchObject({ read: 1, write: 0 })
  expect(await rights(bob)).toBe('100')
  expect(await shares()).toEqual([
    { user: 'mia@acme.example', full_name: null, read: 1, write: 1, share: 1 },
    { user: 'bob@acme.example', full_name: null, read: 1, write: 0, share: 0 },
  ])
  const stored = await system<DocShare[]>((tx) => tx.list(DocShareDoctype, [['share_name', '=', site]]))
  expect(stored.map(({ submit, organization }) => [submit, organization])).toEqual([
    [0, 'acme'],
    [0, 'acme'],
  ])
})

test('a share ends by unshare or by removing all bits; managers can do it, too', async () => {
  await share({ read: 1 }, mara, 'bob@acme.example')
  await s.act(site, 'unshare', { user: 'bob@acme.example' }, mara)
  expect(await rights(bob)).toBe('000')
  await expect(s.act(site, 'unshare', { user: 'bob@acme.example' }, mara)).rejects.toMatchObject({ field: 'user' })
  await share({ read: 1 }, mara, 'bob@acme.example')
  await share({ read: 0 }, mara, 'bob@acme.example')
  expect(await rights(bob)).toBe('000')
})

test('only with members of the organization, and not with the owner', async () => {
  for (const user of ['owner@globex.example', 'nobody@example.com', s.owner.user])
    await expect(share({ read: 1 }, s.owner, user)).rejects.toMatchObject({ code: 'invalid', field: 'user' })
  await expect(share({ read: 1 }, s.other)).rejects.toMatchObject({ code: 'not_found' })
})

test('not with who has every site anyway, unless to take back what a role made useless', async () => {
  const named = (by: Session) => documents().runAction(by, 'Site', site, 'list_privileged', {})
  expect(await named(s.owner)).toEqual(expect.arrayContaining([s.owner.user, mara.user]))
  expect(await named(s.owner)).not.toContain(mia.user)
  await expect(named(bob)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(share({ read: 1 }, s.owner, mara.user)).rejects.toMatchObject({ code: 'invalid', field: 'user' })
  await share({ write: 1 }, s.owner, bob.user)
  const setRole = (organization_role: OrganizationRole) =>
    system(async (tx) => {
      const row = await tx.find(OrganizationMemberDoctype, [['user', '=', bob.user]])
      await tx.update(OrganizationMemberDoctype, row?.name ?? '', { organization_role })
    })
  await setRole('Organization Manager')
  await expect(share({ share: 1 }, s.owner, bob.user)).rejects.toMatchObject({ code: 'invalid', field: 'user' })
  expect(await share({ read: 0 }, s.owner, bob.user)).toMatchObject({ read: 0, write: 0, share: 0 })
  await setRole('Organization User')
  expect(await rights(bob)).toBe('000')
})

test('the log says who got what', async () => {
  await share({ read: 1 })
  await share({ write: 1 })
  const entries = await system<Activity[]>((tx) => tx.list(ActivityDoctype, [['action', '=', 'Site.share']]))
  expect(entries.at(-1)).toMatchObject({
    actor: s.owner.user,
    reference_name: site,
    before: { user: 'mia@acme.example', read: 1, write: 0, share: 0 },
    after: { user: 'mia@acme.example', read: 1, write: 1, share: 0 },
    detail: 'with mia@acme.example (Can edit)',
  })
})

test('a transfer gives the site to a member: the old owner keeps what the role gives', async () => {
  const own = await documents().insert(mia, 'Site', {
    domain: 'handed',
    server: s.server.name,
    site_type: 'html',
  })
  await s.end(own)
  const act = (by: Session, new_owner: string) => s.act(own.name, 'set_owner', { new_owner }, by)
  await expect(act(bob, 'bob@acme.example')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(act(mia, 'owner@globex.example')).rejects.toMatchObject({ code: 'invalid', field: 'new_owner' })
  expect(await act(mia, 'bob@acme.example')).toEqual({ owner: 'bob@acme.example' })
  expect(await system<Site>((tx) => tx.get(SiteDoctype, own.name))).toMatchObject({
    owner: 'bob@acme.example',
    createdby_email: 'bob@acme.example',
  })
  const may = async (who: Session) => (await documents().permissions(who, 'Site', own.name)).write
  expect([await may(mia), await may(bob)]).toEqual([0, 1])
  await expect(act(mia, 'mia@acme.example')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await act(mara, 'mia@acme.example')).toEqual({ owner: 'mia@acme.example' })
})

test('two users who share with one member concurrently create one share', async () => {
  await s.act(site, 'unshare', { user: 'mia@acme.example' })
  await Promise.allSettled([share({ read: 1 }), share({ write: 1 }, mara), share({ share: 1 })])
  expect(await system((tx) => tx.count(DocShareDoctype, [['user', '=', 'mia@acme.example']]))).toBe(1)
})

test('a job that waited while its person was removed or demoted does nothing', async () => {
  const database = await createProductDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'easydash-waiting-'))
  const engine = createSiteEngine(folder)
  const process = (concurrency: number) =>
    startTestProcess(database.database, {
      clock: shortPauses,
      concurrency,
      features: ({ jobs, documents: store }) => ({
        ...createSites({
          documents: store,
          engines: { fake: engine },
          hosts: async () => [ownHost(engine)],
          jobs: () => jobs,
          ...testSiteDeps(folder),
        }),
        schedules: [],
      }),
    })
  const queueing = await process(0)
  const store = queueing.documents
  await makeOrganization(store, 'acme')
  const ours = <T>(fn: Parameters<typeof store.transaction>[1]) => store.transaction(systemSession(), fn) as Promise<T>
  const server = await ours<{ name: string }>((tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'testbox',
      engine: 'fake',
      engine_host: 'fake:this',
      status: 'Healthy',
    }),
  )
  const jobs: string[] = []
  const rows: string[] = []
  for (const email of ['gone@acme.example', 'less@acme.example']) {
    const row = await ours<{ name: string }>(async (tx) => {
      await tx.insert(UserDoctype, {
        email,
        first_name: 'Some',
        enabled: 1,
        email_verified: 1,
        roles: ['Easydash User'],
      })
      const row = { parent: 'acme', parenttype: 'Organization', parentfield: 'members' }
      return tx.insert(OrganizationMemberDoctype, { ...row, user: email, organization_role: 'Organization Manager' })
    })
    rows.push(row.name)
    const domain = email.split('@')[0]
    const made = await store.insert(sessionOf(email, 'acme'), 'Site', {
      domain,
      server: server.name,
      site_type: 'html',
    })
    jobs.push(String(made['job']))
    // No longer owned by the user, so that only the role counts.
    await ours((tx) =>
      tx.update(SiteDoctype, made.name, {}, { owner: 'owner@acme.example', hooks: false, activity: false }),
    )
  }
  await ours(async (tx) => {
    await tx.delete(OrganizationMemberDoctype, rows[0] ?? '')
    await tx.update(OrganizationMemberDoctype, rows[1] ?? '', { organization_role: 'Organization User' })
  })
  const working = await process(4)
  for (const job of jobs)
    expect(await untilEnded(store, job)).toMatchObject({ status: 'Failed', error_code: 'forbidden' })
  expect(engine.begun).toEqual([])
  await working.stop()
  await queueing.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

test('a site at WP Cloud is seen by the members it is shared with, who can do nothing more', async () => {
  const { name } = await system<WpcSite>((tx) =>
    tx.insert(
      WpcSiteDoctype,
      { organization: 'acme', domain: 'cloud.example', status: 'Live' },
      { owner: s.owner.user },
    ),
  )
  const act = (by: Session, action: string, args: Record<string, unknown>) =>
    documents().runAction(by, 'WPC Site', name, action, args)
  const seen = () => documents().list(mia, 'WPC Site', { fields: ['domain'] })
  await expect(documents().get(mia, 'WPC Site', name)).rejects.toMatchObject({ code: 'forbidden' })
  expect(await seen()).toEqual([])

  const given = { user: 'mia@acme.example', full_name: null, read: 1, write: 0, share: 0 }
  expect(await act(mara, 'share', { user: 'mia@acme.example' })).toEqual(given)
  expect(await act(s.owner, 'list_shares', {})).toEqual([given])
  expect(await act(s.owner, 'list_privileged', {})).not.toContain('mia@acme.example')
  expect(await seen()).toEqual([{ domain: 'cloud.example' }])
  const { read, write, share: passOn } = await documents().permissions(mia, 'WPC Site', name)
  expect([read, write, passOn]).toEqual([1, 0, 0])
  for (const [action, args] of [
    ['share', { user: 'bob@acme.example' }],
    ['list_shares', {}],
    ['purge_cache', {}],
  ] as const)
    await expect(act(mia, action, args)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(act(s.owner, 'share', { user: 'mara@acme.example' })).rejects.toMatchObject({ field: 'user' })

  await act(mara, 'unshare', { user: 'mia@acme.example' })
  expect(await seen()).toEqual([])
  const logged = await system<Activity[]>((tx) => tx.list(ActivityDoctype, [['reference_name', '=', name]]))
  expect(logged.map(({ action }) => action)).toEqual(expect.arrayContaining(['WPC Site.share', 'WPC Site.unshare']))

  await act(mara, 'share', { user: 'mia@acme.example' })
  await system((tx) => tx.delete(WpcSiteDoctype, name))
  expect(await system<DocShare[]>((tx) => tx.list(DocShareDoctype, [['share_name', '=', name]]))).toEqual([])
})
