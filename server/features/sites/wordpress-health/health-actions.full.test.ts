import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownHost } from '#server/engines/hosts.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteFindings } from '#shared/responses/site-findings.ts'
import { holding } from '#tests/support/site-engine.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'

import { lookAtRunning } from './look.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const kindsOf = async (site: string): Promise<string[]> => {
  const { findings } = (await t.act(site, 'check_wordpress_health')) as unknown as SiteFindings
  return findings.map(({ kind }) => kind)
}

/** An entry of PHP's error log, now. */
function plantError(site: string): void {
  const [day, month, year, clock] = new Date().toUTCString().split(' ').slice(1)
  t.engine.addToLog(site, 'php', `[${day}-${month}-${year} ${clock} UTC] PHP Fatal error:  Planted\n`)
}

test('what is planted is found, and gone after its repair', async () => {
  const site = await t.live('health', { admin_user: 'boss' })
  expect(await kindsOf(site.name)).toEqual(['uploads_php', 'file_editing'])

  for (const protection of ['no_uploads_php', 'no_file_editing'])
    expect(await t.end(await t.act(site.name, 'set_protection', { protection }))).toMatchObject({ status: 'Done' })
  expect(await kindsOf(site.name)).toEqual([])
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', protections: 'no_file_editing no_uploads_php' })

  await t.act(site.name, 'pause_scheduled_events', { paused: 1 })
  plantError(site.name)
  expect(await kindsOf(site.name)).toEqual(['php_errors', 'events_paused'])
  await t.act(site.name, 'pause_scheduled_events', { paused: 0 })
  await t.act(site.name, 'clear_log', { log: 'php' })
  expect(await kindsOf(site.name)).toEqual([])
})

test('without a quota of its own, a site has as much room as the disk of its server', async () => {
  const site = await t.live('unlimited', { admin_user: 'boss' })
  const look = async (disk: Partial<Server>) => {
    await t.running.documents.transaction(systemSession(), (tx) =>
      tx.update(ServerDoctype, t.server.name, disk, { hooks: false, activity: false }),
    )
    const { findings, not_observed: unseen } = (await t.act(
      site.name,
      'check_wordpress_health',
    )) as unknown as SiteFindings
    return [findings.find(({ kind }) => kind === 'disk')?.count, unseen.includes('disk')]
  }
  expect(await look({})).toEqual([undefined, true])
  const checked = { disk: 1_000, checked_at: '2026-01-02 00:00:00.000000' }
  expect(await look({ ...checked, disk_free: 500 })).toEqual([undefined, false])
  expect(await look({ disk_free: 50 })).toEqual([95, false])
  const sampled = { disk_percent: 93 }
  expect(await look({ ...sampled, metrics_at: '2026-01-01 00:00:00.000000' }), 'older').toEqual([95, false])
  expect(await look({ ...sampled, metrics_at: '2026-01-03 00:00:00.000000' })).toEqual([93, false])
  await look({ disk: null, disk_free: null, disk_percent: null })
})

test('what is urgent makes the site need attention, and running sites are looked at once a day', async () => {
  const site = await t.live('daily', { admin_user: 'boss' })
  const shown = async () => {
    const { wordpress_health, wordpress_problem, attention } = (await t.siteNow(site.name)) as Site
    return [wordpress_health, wordpress_problem, attention]
  }
  expect(await shown()).toEqual(['Not Checked', null, 0])
  plantError(site.name)
  const engine = holding(t.engine, [site])
  await lookAtRunning(t.deps, ownHost(engine))
  expect(await shown()).toEqual(['Needs Attention', 'php_errors', 1])
  await t.act(site.name, 'clear_log', { log: 'php' })
  await lookAtRunning(t.deps, ownHost(engine))
  expect(await shown(), 'looked at a moment ago').toEqual(['Needs Attention', 'php_errors', 1])
  t.pass(24 * 3_600_000)
  await lookAtRunning(t.deps, ownHost(engine))
  // Uploads and code editors are advice.
  expect(await shown()).toEqual(['Good', null, 0])
})

test('a protection that breaks the homepage is taken back', async () => {
  const site = await t.live('protect')
  t.engine.answers.push({ status: 200, body: 'ok' }, { status: 200, body: 'ok' })
  t.engine.answers.push(...Array.from({ length: 5 }, () => ({ status: 500, body: '' })))
  const job = await t.end(await t.act(site.name, 'set_protection', { protection: 'hide_errors' }))
  expect(job).toMatchObject({ status: 'Failed' })
  t.engine.answers.length = 0
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', protections: null })
  expect((await t.engine.settings.read(siteRef(site, thisMachine))).protections).toEqual([])
})

test('refuses what does not exist, what is on already, and a site without WordPress', async () => {
  const site = await t.live('refuse')
  expect(await rejectionOf(t.act(site.name, 'set_protection', { protection: 'all' }))).toMatchObject({
    field: 'protection',
  })
  expect(
    await rejectionOf(t.act(site.name, 'set_protection', { protection: 'hide_errors', enabled: 0 })),
  ).toMatchObject({
    code: 'invalid',
    field: 'protection',
  })
  const html = await t.live('plain', { site_type: 'html' })
  expect(await rejectionOf(t.act(html.name, 'check_wordpress_health'))).toMatchObject({ code: 'unsupported' })
})
