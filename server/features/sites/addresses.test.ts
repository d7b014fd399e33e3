import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DocumentEvent, Tx } from '#server/contracts/transaction.ts'
import type { FakeEngineOptions } from '#server/engines/fake/fake-context.ts'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { until } from '#tests/support/jobs.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { createSites } from './sites.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'

let t: TestSites
let blog: Site
let archived: Site
let elsewhere: Site
const events: DocumentEvent[] = []

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => t.running.documents.transaction(systemSession(), work)
const readSites = () => inTransaction((tx) => tx.list(SiteDoctype, [], { order_by: 'domain' }))
const activities = () => inTransaction((tx) => tx.count(ActivityDoctype, []))
/** Row versions: PostgreSQL changes them with every write. */
const rowVersions = () =>
  inTransaction(async (tx) => (await sql`select name, xmin, ctid from tab_site order by name`.execute(tx.trx)).rows)

/** Simulates a start of the product with these settings. */
async function startWith(settings: Omit<FakeEngineOptions, 'folder'>): Promise<void> {
  events.length = 0
  const { siteUrl } = createFakeEngine({ folder: t.folder, ...settings })
  await createSites({ ...t.deps, engines: { fake: { ...t.engine, siteUrl } } }).start()
}

/** A live site whose thumbnail is done: that runs in the background and writes to the site. */
async function createSiteWithThumbnail(name: string): Promise<Site> {
  const site = await t.live(name)
  return (await until(t.running.documents, SiteDoctype, site.name, (doc) => doc?.thumbnail_taken != null)) as Site
}

beforeAll(async () => {
  t = await openTestSites()
  blog = await createSiteWithThumbnail('blog')
  archived = await createSiteWithThumbnail('old')
  await t.end(await t.act(archived.name, 'archive', { confirm_name: 'old' }))
  const remote = await createSiteWithThumbnail('remote')
  elsewhere = await inTransaction((tx) =>
    tx.update(SiteDoctype, remote.name, { engine_host: 'fake:another-machine' }, { hooks: false, activity: false }),
  )
  t.running.documents.onEvent((event) => events.push(event))
})
afterAll(() => t?.close())
beforeEach(() => startWith({}))

test('a start with another port and domain gives the sites of this machine their new addresses', async () => {
  expect((await readSites()).map(({ url }) => url)).toEqual([
    'http://blog.localhost:8080',
    'http://old.localhost:8080',
    'http://remote.localhost:8080',
  ])
  const before = await activities()
  await startWith({ port: 9090, sitesDomain: 'sites.test' })
  const [updatedBlog, updatedOld, updatedRemote] = await readSites()
  expect(updatedBlog).toMatchObject({ url: 'http://blog.sites.test:9090', status: 'Live', modified_by: 'System' })
  expect(updatedOld).toMatchObject({ url: 'http://old.sites.test:9090', status: 'Archived' })
  expect(updatedRemote).toEqual(elsewhere)
  expect(await activities()).toBe(before)
  expect(events.toSorted((a, b) => Number(a.name === archived.name) - Number(b.name === archived.name))).toEqual(
    [updatedBlog, updatedOld].map((site) => ({
      kind: 'update',
      doctype: 'Site',
      name: site?.name,
      organization: 'acme',
      user: 'System',
      modified: site?.modified,
    })),
  )
  expect(String(updatedBlog?.modified) > String(blog.modified)).toBe(true)
  // As read by everybody else, with the `modified` a form must send back.
  const read = await t.running.documents.get(t.owner, 'Site', blog.name)
  expect(read).toMatchObject({ url: 'http://blog.sites.test:9090', modified: updatedBlog?.modified })
})

test('a start with the same settings writes nothing', async () => {
  await startWith({ port: 9090 })
  const [before, entries] = [await rowVersions(), await activities()]
  await startWith({ port: 9090 })
  expect(await rowVersions()).toEqual(before)
  expect(await activities()).toBe(entries)
  expect(events).toEqual([])
})
