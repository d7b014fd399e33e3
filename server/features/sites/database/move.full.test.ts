import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
/** A server without MySQL. */
let lacking = ''
beforeAll(async () => {
  t = await openTestSites([], { lacks: ({ id }) => (id === lacking ? { mysql: 'MySQL is not installed.' } : {}) })
  const server = await t.running.documents.transaction(systemSession(), (tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'old box',
      engine: 'fake',
      engine_host: 'fake:this',
      status: 'Healthy',
    }),
  )
  lacking = server.name
})
afterAll(() => t?.close())

test('a network of sites is made on MySQL, and moves', async () => {
  const site = await t.live('net', { multisite: 'subdir', database: 'mysql' })
  expect(await t.end(await t.act(site.name, 'move_to_sqlite'))).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', database: null, multisite: 'subdir' })
  const single = await t.live('becomes-net', { database: 'mysql' })
  expect(await t.end(await t.act(single.name, 'convert_to_network', { confirm_name: 'becomes-net' }))).toMatchObject({
    status: 'Done',
  })
  expect(await t.siteNow(single.name)).toMatchObject({ database: 'mysql', multisite: 'subdir' })
})

test('a site is made on the chosen database, and moves to the other one and back', async () => {
  const site = await t.live('shop', { database: 'mysql' })
  expect(site.database).toBe('mysql')
  expect(await t.end(await t.act(site.name, 'move_to_sqlite'))).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', database: null })
  expect(await rejectionOf(t.act(site.name, 'move_to_sqlite'))).toMatchObject({ code: 'unsupported' })
  expect(await t.end(await t.act(site.name, 'move_to_mysql'))).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', database: 'mysql' })
  expect(await rejectionOf(t.act(site.name, 'move_to_mysql'))).toMatchObject({ code: 'unsupported' })
})

test.each(['pause', 'copy'])('a move that fails at the step "%s" leaves the site as it was', async (key) => {
  const site = await t.live(`fail-${key}`)
  expect(await t.end(await t.act(site.name, 'move_to_mysql'))).toMatchObject({ status: 'Failed' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', database: null, failure_reason: null })
})

test('a site whose page fails on the new database goes back', async () => {
  const site = await t.live('broken-there')
  // Each attempt of our page check gets one.
  t.engine.answers.push(...Array.from({ length: 20 }, () => ({ status: 500, body: 'error' })))
  const job = await t.end(await t.act(site.name, 'move_to_mysql'))
  t.engine.answers.length = 0
  expect(job).toMatchObject({ status: 'Failed' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', database: null })
  expect(await t.end(await t.act(site.name, 'move_to_mysql'))).toMatchObject({ status: 'Done' })
})

describe('refused with a reason', () => {
  test('are choices that the site can’t have', async () => {
    const refused = { code: 'invalid', field: 'database' }
    expect(await rejectionOf(t.insert('plain', { site_type: 'php', database: 'mysql' }))).toMatchObject(refused)
    expect(await rejectionOf(t.insert('there', { server: lacking, database: 'mysql' }))).toMatchObject({
      ...refused,
      message: 'MySQL is not installed.',
    })
    const html = await t.live('plain-html', { site_type: 'html' })
    expect(await rejectionOf(t.act(html.name, 'move_to_mysql'))).toMatchObject({ code: 'unsupported' })
    const there = await t.live('there', { server: lacking })
    expect(await rejectionOf(t.act(there.name, 'move_to_mysql'))).toMatchObject({ message: 'MySQL is not installed.' })
  })

  test.each([
    [null, 'mysql'],
    ['mysql', 'sqlite'],
  ] as const)('is a move of a site on %s that has a staging site, or is one', async (database, to) => {
    const site = await t.live(`with-staging-${to}`, { database })
    const made = await t.act(site.name, 'create_staging', { domain: `its-staging-${to}` })
    expect(await t.end(made)).toMatchObject({ status: 'Done' })
    const staging = String(made?.['name'])
    expect(await t.siteNow(staging)).toMatchObject({ database, staging_of: site.name })
    for (const name of [site.name, staging])
      expect(await rejectionOf(t.act(name, `move_to_${to}`))).toMatchObject({ code: 'conflict' })
  })

  test('can get another primary domain', async () => {
    const site = await t.live('renamed-on-mysql', { database: 'mysql' })
    const args = { domain: 'renamed.example.com', old_domain: 'redirect' }
    expect(await t.end(await t.act(site.name, 'change_domain', args))).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ domain: 'renamed.example.com', database: 'mysql' })
  })

  test('can be looked at and changed', async () => {
    const site = await t.live('looked-at', { database: 'mysql' })
    const tables = { tables: expect.arrayContaining([expect.objectContaining({ name: 'wp_posts' })]) }
    expect(await t.act(site.name, 'database_tables')).toMatchObject(tables)
  })

  test('is copied with the site', async () => {
    const site = await t.live('cloned-on-mysql', { database: 'mysql' })
    const made = await t.act(site.name, 'clone', { domain: 'clone-on-mysql' })
    expect(await t.end(made)).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(String(made?.['name']))).toMatchObject({ status: 'Live', database: 'mysql' })
  })
})
