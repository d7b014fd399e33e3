import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let t: TestSites
/** A member for whom only shares grant access. */
let mia: Session

beforeAll(async () => {
  t = await openTestSites()
  await t.running.documents.transaction(systemSession(), async (tx) => {
    const user = 'mia@acme.example'
    await tx.insert(UserDoctype, { email: user, first_name: 'Mia', enabled: 1, email_verified: 1 })
    const row = { parent: 'acme', parenttype: 'Organization', parentfield: 'members', user }
    await tx.insert(OrganizationMemberDoctype, { ...row, organization_role: 'Organization User' })
  })
  mia = sessionOf('mia@acme.example', 'acme')
})
afterAll(() => t?.close())

const codes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((one) => (one.status === 'fulfilled' ? 'ok' : (one.reason as { code: string }).code))
const saves = (by: Session, name: string, title: string) => t.running.documents.save(by, 'Site', name, { title })

test('a share taken away against a write: the write came first or is refused, and none follows', async () => {
  const site = await t.live('shared-race')
  for (let n = 0; n < 10; n += 1) {
    await t.act(site.name, 'share', { user: mia.user, write: 1 })
    const title = `by Mia ${n}`
    const work = [() => saves(mia, site.name, title), () => t.act(site.name, 'unshare', { user: mia.user })]
    const results = codes(await Promise.allSettled((n % 2 === 0 ? work : work.toReversed()).map((start) => start())))
    const [written, taken] = n % 2 === 0 ? results : results.toReversed()
    expect(taken).toBe('ok')
    expect(['ok', 'forbidden', 'not_found']).toContain(written)
    expect((await t.siteNow(site.name))?.title === title).toBe(written === 'ok')
    await expect(saves(mia, site.name, 'late')).rejects.toMatchObject({
      code: expect.stringMatching(/forbidden|not_found/),
    })
  }
})

test('archive against write: the site goes into the archive, with the write or without it', async () => {
  for (let n = 0; n < 4; n += 1) {
    const site = await t.live(`archive-race-${n}`)
    const work = [
      () => saves(t.owner, site.name, 'changed'),
      () => t.running.documents.delete(t.owner, 'Site', site.name),
    ]
    const results = await Promise.allSettled((n % 2 === 0 ? work : work.toReversed()).map((start) => start()))
    const [written, archived] = n % 2 === 0 ? results : results.toReversed()
    if (archived?.status !== 'fulfilled') throw new Error('not archived', { cause: archived })
    expect(await t.end(archived.value)).toMatchObject({ status: 'Done', job_type: 'site.archive' })
    const after = await t.siteNow(site.name)
    expect([after?.status, after?.title === 'changed']).toEqual(['Archived', written?.status === 'fulfilled'])
  }
})

test('of two concurrent removals of a site one starts a job; the other names it or does not find the site', async () => {
  const site = await t.live('removed-twice')
  const remove = () => t.running.documents.delete(t.owner, 'Site', site.name)
  for (const type of ['site.archive', 'site.delete']) {
    const results = await Promise.allSettled([remove(), remove(), remove()])
    const won = results.filter((one) => one.status === 'fulfilled')
    expect(codes(results).toSorted()).toEqual(['locked', 'locked', 'ok'])
    expect(await t.end(won[0]?.value ?? null)).toMatchObject({ status: 'Done', job_type: type })
  }
  expect(await t.siteNow(site.name)).toBeNull()
  const jobs = await t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(JobDoctype, [['reference_name', '=', site.name]]),
  )
  expect(jobs.map(({ job_type }) => job_type).toSorted()).toEqual(['site.archive', 'site.create', 'site.delete'])
  for (const { name } of jobs) expect((await untilEnded(t.running.documents, name)).status).toBe('Done')
})

test('members make sites on development servers only', async () => {
  const category = (server_category: 'development' | 'production') =>
    t.running.documents.transaction(systemSession(), (tx) =>
      tx.update(ServerDoctype, t.server.name, { server_category }, { hooks: false }),
    )
  await category('production')
  await expect(t.insert('by-mia', {}, mia)).rejects.toMatchObject({ code: 'forbidden' })
  await t.end(await t.insert('by-owner'))
  await category('development')
  await t.end(await t.insert('by-mia', {}, mia))
})

test.each([
  ['unhealthy', { status: 'Disconnected' }, 'invalid'],
  ['a production server', { server_category: 'production' }, 'conflict'],
] as const)('a server that becomes %s while a site is inserted gets no site', async (_what, changes, code) => {
  const changed = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const before = { status: 'Healthy', server_category: 'development' } as const
  const update = (values: object) =>
    t.running.documents.transaction(systemSession(), async (tx) => {
      await tx.update(ServerDoctype, t.server.name, values, { hooks: false })
      changed.resolve()
      await commit.promise
    })
  const change = update(changes)
  await changed.promise
  const insert = t.insert('in-between', {}, mia).then(
    () => 'inserted',
    (error: unknown) => (error as { code: string }).code,
  )
  // It has read the server as it was, and waits for the row.
  const waiting = () =>
    t.running.documents.transaction(systemSession(), (tx) =>
      sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
        tx.trx,
      ),
    )
  await expect.poll(async () => (await waiting()).rows).not.toEqual([])
  commit.resolve()
  await change
  expect(await insert).toBe(code)
  await update(before)
})
