import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { crashPointName, crashPointsOf } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { portOf } from '#server/platform/network/port-of.ts'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { until } from '#tests/support/jobs.ts'
import { addContent, fingerprintOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'
import { ask } from '#tests/support/local-process.ts'
import { makeLocalSite } from '#tests/support/local-sites.ts'
import { readFacts, writeFacts } from '../wordpress/facts-table.ts'

/** Bulk runs over several real WordPress sites, which are killed (kill -9). */

const long = process.env['EASYDASH_TEST_LONG'] === '1'
let t: LocalKills
let sites: Site[]
/** The version of the plugin that its wordpress.org has. */
let offered = '1.0'
const tool = 'tool/tool.php'
const org = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://org')
  if (pathname === '/plugins/info/1.2/' && searchParams.get('request[slug]') === 'tool')
    response.end(JSON.stringify({ version: offered }))
  else if (pathname === `/plugin/tool.${offered}.zip`)
    response.end(
      makeZip([{ name: tool, content: Buffer.from(`<?php\n/*\nPlugin Name: Tool\nVersion: ${offered}\n*/`) }]),
    )
  else response.writeHead(404).end()
})

const documents = () => t.now.running.documents
const inspect = async (site: Site): Promise<WordPressFacts> =>
  ((await ask(t.now, t.owner, { name: site.name, action: 'inspect_wordpress' })) as { facts: WordPressFacts }).facts
const versionOf = async (site: Site) => (await inspect(site)).plugins.find(({ id }) => id === tool)?.version

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    org.listen(0, '127.0.0.1', resolve)
  })
  t = await openLocalKills({ wordpressOrgUrl: `http://127.0.0.1:${portOf(org)}` })
  sites = []
  for (const domain of ['bulk-1', 'bulk-2', 'bulk-3']) {
    const site = await makeLocalSite(documents(), t.owner, { server: t.server, domain, title: domain })
    await addContent(t.now.fixture, site)
    await t.job({ name: site.name, action: 'install_plugin', args: { slug: 'tool' } })
    expect(await versionOf(site)).toBe('1.0')
    sites.push(site)
  }
})
afterAll(async () => {
  await t?.close()
  org.close()
})

/** The plugin becomes outdated, as far as is known here. */
async function outdate(): Promise<void> {
  offered = '2.0'
  await documents().transaction(systemSession(), async (tx) => {
    for (const { name } of sites) {
      const { facts } = await readFacts(tx, name)
      if (!facts) throw new Error('The site was never read')
      const plugins = facts.plugins.map((one) => (one.id === tool ? { ...one, update: offered } : one))
      await writeFacts(tx, name, { ...facts, plugins }, '2026-11-24 12:00:00.000000')
    }
  })
}

/** Everything but the plugin and what was put aside for it. */
async function contentOf(site: Site): Promise<object> {
  const all = Object.entries(await fingerprintOf(t.now.fixture, site))
  return Object.fromEntries(
    all.filter(([name]) => !/^\/wp-content\/(?:plugins\/tool|\.easydash-previous)\//.test(name)),
  )
}
const lastRun = async (): Promise<BulkRun> => {
  const [run] = await documents().transaction(systemSession(), (tx) =>
    tx.list(BulkRunDoctype, [], { order_by: 'creation desc', limit: 1 }),
  )
  return run as BulkRun
}

const kills = [
  { action: 'flush_cache', argument: null, type: 'site.flush_cache', steps: ['flush'] },
  { action: 'update_plugin', argument: tool, type: 'site.update_plugin', steps: ['change', 'inspect', 'check_page'] },
].flatMap(({ type, steps, ...bulk }) =>
  (long ? crashPointsOf(type, steps) : [crashPointName(type, 'after-run', steps[0] ?? '')]).map((point) => ({
    ...{ type, point, bulk },
  })),
)

test.each(kills)('killed at $point: each site gets its one job, and a truth', async ({ type, point, bulk }) => {
  const isUpdate = bulk.action === 'update_plugin'
  if (isUpdate) await outdate()
  const before = await Promise.all(sites.map(contentOf))
  await t.killAt(type, point, { bulk: { ...bulk, sites: sites.map(({ name }) => name) } })
  const { name } = await lastRun()
  const ended = await until(documents(), BulkRunDoctype, name, (run) => (run as BulkRun | null)?.status === 'Done')
  expect(ended).toMatchObject({ total: 3, done: 3, failed: 0, waiting: 0, running: 0 })
  const jobs = await documents().transaction(systemSession(), (tx) => tx.list(JobDoctype, [['bulk_run', '=', name]]))
  expect(jobs.map(({ reference_name: site, status }) => `${site} ${status}`).toSorted()).toEqual(
    sites.map((site) => `${site.name} Done`).toSorted(),
  )
  for (const site of sites) {
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
    expect((await t.now.fixture.fetch(site, '/')).status).toBe(200)
    if (isUpdate) expect(await versionOf(site)).toBe('2.0')
    expect(await t.leftovers(site)).toEqual([])
  }
  expect(await Promise.all(sites.map(contentOf))).toEqual(before)
  // The next kill updates it again.
  if (isUpdate && long)
    for (const site of sites)
      await t.job({ name: site.name, action: 'set_plugin', args: { plugin: tool, do: 'rollback' } })
})
