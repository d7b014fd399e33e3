import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { startTestReleases, type TestReleases } from '#server/engines/local/wordpress-core/releases-fixture.ts'
import { mysqlCapability } from '#server/engines/local/mysql/local-mysql.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { crashPointName, crashPointsOf } from '#server/jobs/crash-point.ts'
import type { Job } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { storedPushPlan } from '#shared/responses/push-plan.ts'
import { addContent, fingerprintOf, wwwOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'
import { ask, type Asked } from '#tests/support/local-process.ts'
import { makeLocalSite } from '#tests/support/local-sites.ts'
import { siteRef } from './engine-of.ts'

/**
 * kill -9 of the process while real sites are pushed to, copied, imported and changed: after the restart each job is completed,
 * or the site is as before; nothing is lost, locked or left lying around.
 */

const isMysqlInstalled = mysqlCapability(await findMysql(), null).supported
const long = process.env['EASYDASH_TEST_LONG'] === '1'
/**
 * All points of a job and those within the engine's own writes; in the short run some that differ from what `kill.full.test.ts`
 * covers.
 */
const pointsOf = (type: string, steps: readonly string[], inEngine: readonly string[], sample: readonly string[]) =>
  long ? [...crashPointsOf(type, steps).filter((point) => !point.endsWith('/after-done')), ...inEngine] : sample

let t: LocalKills
let live: Site
let releases: TestReleases
let rounds = 0
const nowOf = async ({ name }: Site) => (await t.siteNow(name)) as Site
const visit = async ({ domain }: Pick<Site, 'domain'>) => (await t.now.fixture.fetch({ domain }, '/')).status
const fingerprint = (site: Site) => fingerprintOf(t.now.fixture, site)
const refOf = (site: Site) => siteRef(site, thisMachine)
/** Runs PHP with WordPress loaded, in the site. */
const wp = async (site: Site, code: string): Promise<unknown> => {
  const name = `run-${(rounds += 1)}-${Date.now()}.php`
  await t.now.fixture.writeFile(
    refOf(site),
    name,
    `<?php unlink(__FILE__); ob_start(); require __DIR__ . '/wp-load.php'; global $wpdb; $r = (function () use ($wpdb) { ${code} })(); ob_end_clean(); echo json_encode($r);`,
  )
  const { body } = await t.now.fixture.fetch(site, `/${name}`)
  try {
    return JSON.parse(body) as unknown
  } catch {
    throw new Error(body.slice(0, 500))
  }
}
async function expectAtRest(site: Site): Promise<void> {
  expect(await nowOf(site)).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null })
  expect(await visit(site)).toBe(200)
  expect(await t.leftovers(site)).toEqual([])
}
const expectDone = (job: Job) => expect([job.status, job.error_message]).toEqual(['Done', null])

beforeAll(async () => {
  releases = await startTestReleases()
  t = await openLocalKills({ cacheDir: releases.cacheDir, wordpressOrgUrl: releases.url, mysql: { url: null } })
  live = await t.makeLive()
})
afterAll(async () => {
  await t?.close()
  await releases?.close()
})

const pushPoints = (inEngine: readonly string[], sample: readonly string[]) =>
  pointsOf(
    'site.push',
    ['pause', 'copy_files', 'merge_database', 'flush_caches', 'check', 'check_page', 'open'],
    inEngine.map((at) => `local.push/${at}`),
    sample.map((at) => `local.push/${at}`),
  )
const inPush = ['served-moved', 'new-moved', 'applied', 'rollback-removed', 'before-kept']
const pushes = [
  { database: 'sqlite' as const, points: pushPoints(inPush, ['new-moved', 'applied']) },
  ...(isMysqlInstalled
    ? [{ database: 'mysql' as const, points: pushPoints([...inPush, 'dumped', 'dump-kept'], ['applied', 'dump-kept']) }]
    : []),
]

describe.each(pushes)('kill -9 while staging on $database is pushed', ({ database, points }) => {
  const type = 'site.push'
  let site: Site
  let staging: Site

  beforeAll(async () => {
    site = live
    if (database === 'mysql') {
      const values = { server: t.server, domain: 'killed-mysql', title: 'Killed', database } as const
      site = await makeLocalSite(t.now.running.documents, t.owner, values)
      await addContent(t.now.fixture, site)
      await wp(site, `return $wpdb->query('CREATE TABLE names (id int PRIMARY KEY, name varchar(5) UNIQUE)');`)
    }
    const args = { domain: `killed-staging-${database}` }
    const job = await t.job({ name: site.name, action: 'create_staging', args })
    expectDone(job)
    staging = (await t.siteNow(job.reference_name ?? '')) as Site
  })

  /** Staging asks visitors for a password, so PHP runs in the console. */
  const changeStaging = async (code: string) => {
    const run = await t.now.fixture.engine.console.runPhp(refOf(staging), `global $wpdb; ${code}`, { safe: false })
    expect(run).toMatchObject({ error: null })
  }

  /** Changes both sides, and compares them. */
  async function planned(at: number): Promise<Asked> {
    const { files } = t.now.fixture.engine
    await files.write(refOf(staging), `staged-${at}.txt`, `of staging ${at}`, null)
    await files.write(refOf(site), `uploaded-${at}.txt`, `of live ${at}`, null)
    await wp(
      site,
      `update_option('order_${at}', 'paid'); return wp_insert_post(array('post_title' => 'Live ${at}', 'post_status' => 'publish'));`,
    )
    expectDone(await t.job({ name: staging.name, action: 'plan_push' }))
    const stored = await ask(t.now, t.owner, { name: staging.name, action: 'push_plan' })
    const { made_at } = storedPushPlan.parse(stored)
    return {
      name: staging.name,
      action: 'push_staging',
      args: { made_at, what: ['files', 'database'], take: [], take_all: [] },
    }
  }

  test.each(points.map((point, at) => [point, at] as const))('at %s', async (point, at) => {
    await changeStaging(`update_option('staged_${at}', 'yes'); return true;`)
    const push = await planned(at)
    const before = await fingerprint(site)
    const job = await t.killAt(type, point, push)
    expectDone(job)
    await expectAtRest(site)
    const after = await fingerprint(site)
    for (const [name, hash] of Object.entries(before)) expect([name, after[name]]).toEqual([name, hash])
    expect(await readFile(join(wwwOf(t.now.fixture, site), `staged-${at}.txt`), 'utf8')).toBe(`of staging ${at}`)
    expect(await wp(site, `return array(get_option('order_${at}'), get_option('staged_${at}'));`)).toEqual([
      'paid',
      'yes',
    ])
    expect(await t.now.fixture.engine.staging.read(refOf(site))).toMatchObject({ changing: false })
  })

  test.skipIf(database !== 'mysql')(
    'at local.mysql/cleared, when it is taken back because it does not fit',
    async () => {
      await changeStaging(`return $wpdb->query("INSERT INTO names VALUES (1, 'ann')");`)
      await wp(site, `return $wpdb->query("INSERT INTO names VALUES (2, 'ANN')");`)
      const push = await planned(points.length)
      const before = await fingerprint(site)
      const job = await t.killAt(type, 'local.mysql/cleared', push)
      expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('Duplicate entry') })
      await expectAtRest(site)
      expect(await fingerprint(site)).toEqual(before)
      expect(await wp(site, `return $wpdb->get_col('SELECT name FROM names');`)).toEqual(['ANN'])
    },
  )
})

describe('kill -9 while a site is cloned, or a staging site is made', () => {
  const type = 'site.clone'
  const points = pointsOf(
    type,
    ['copy_files', 'replace_urls', 'settle', 'baseline', 'check', 'check_page'],
    ['local.clone/copied', 'local.clone/placed'],
    ['local.clone/copied'],
  )

  test.each(points.map((point, at) => [point, at] as const))('at %s', async (point, at) => {
    const before = await fingerprint(live)
    const domain = `cloned-${at}`
    const job = await t.killAt(type, point, { name: live.name, action: 'create_staging', args: { domain } })
    expectDone(job)
    const copy = (await t.siteNow(job.reference_name ?? '')) as Site
    expect(copy).toMatchObject({ domain, status: 'Live', locked_by_job: null, failure_reason: null })
    expect(await t.leftovers(copy)).toEqual([])
    // It is one that can be pushed: what it started with is kept whole.
    expectDone(await t.job({ name: copy.name, action: 'plan_push' }))
    const { plan } = storedPushPlan.parse(await ask(t.now, t.owner, { name: copy.name, action: 'push_plan' }))
    expect(plan?.files).toMatchObject({ staging: { added: 0, changed: 0, deleted: 0 }, total: 0 })
    expect(plan?.database).toMatchObject({ total: 0 })
    await expectAtRest(live)
    expect(await fingerprint(live)).toEqual(before)
  })
})

describe.skipIf(!isMysqlInstalled)(
  'kill -9 while a site on MySQL is cloned (skipped where MariaDB or MySQL is not installed)',
  () => {
    const type = 'site.clone'
    const inEngine = ['copied', 'placed', 'database-created', 'database-loaded'].map((at) => `local.clone/${at}`)
    const points = pointsOf(
      type,
      ['copy_files', 'fill_database', 'replace_urls', 'settle', 'check', 'check_page'],
      inEngine,
      ['local.clone/database-created', 'local.clone/database-loaded'],
    )
    let source: Site

    beforeAll(async () => {
      const values = { server: t.server, domain: 'mysql-source', title: 'On MySQL', database: 'mysql' } as const
      source = await makeLocalSite(t.now.running.documents, t.owner, values)
      await wp(source, `return wp_insert_post(array('post_title' => 'Kept', 'post_status' => 'publish'));`)
    })

    test.each(points.map((point, at) => [point, at] as const))('at %s', async (point, at) => {
      const domain = `mysql-clone-${at}`
      const job = await t.killAt(type, point, { name: source.name, action: 'clone', args: { domain } })
      expectDone(job)
      const copy = (await t.siteNow(job.reference_name ?? '')) as Site
      expect(copy).toMatchObject({ domain, database: 'mysql' })
      const seen = `return array(DB_NAME, home_url(), $wpdb->get_col("SELECT post_title FROM $wpdb->posts WHERE post_title = 'Kept'"));`
      for (const site of [copy, source]) {
        await expectAtRest(site)
        expect(await wp(site, seen)).toEqual([
          `easydash${site.name}`,
          `http://${site.domain}.localhost:${t.now.fixture.port}`,
          ['Kept'],
        ])
      }
    })
  },
)

describe('kill -9 while an archive is imported', () => {
  const type = 'site.import'
  const points = pointsOf(
    type,
    [
      'prepare_core',
      'copy_files',
      'import_database',
      'replace_urls',
      'settle',
      'check',
      'check_page',
      'compare',
      'clean_up',
    ],
    ['local.import/placed', 'local.import/part-imported'],
    ['local.import/part-imported'],
  )
  const inMysql = long ? ['local.import/placed', 'local.import/part-imported'] : ['local.import/part-imported']
  const runs = [
    ...points.map((point) => ({ point, database: 'sqlite' })),
    ...(isMysqlInstalled ? inMysql.map((point) => ({ point, database: 'mysql' })) : []),
  ]
  let archive: string

  beforeAll(async () => {
    expectDone(await t.job({ name: live.name, action: 'export_site' }))
    const download = (await ask(t.now, t.owner, { name: live.name, action: 'download_export' })) as Download
    archive = join(t.place.dataDir, 'exported.zip')
    await writeFile(archive, await buffer(download.open()))
  })

  test.each(runs)('at $point, into $database', async ({ point, database }) => {
    const at = (rounds += 1)
    const path = join(t.place.dataDir, `upload-${at}`)
    await copyFile(archive, path)
    const id = String(at).padStart(32, '0')
    const job = await t.killAt(type, point, { archive: path, id, domain: `imported-${at}`, server: t.server, database })
    expectDone(job)
    const site = (await t.siteNow(job.reference_name ?? '')) as Site
    await expectAtRest(site)
    expect(site).toMatchObject({ import_defects: 0, database: database === 'mysql' ? database : null })
    const [there, here] = [await fingerprint(live), await fingerprint(site)]
    // The sample page and the privacy policy name the address.
    const isContent = (name: string) =>
      !['posts 2', 'posts 3'].includes(name) &&
      /^(?:posts|meta|comments|terms) |^\/wp-content\/(?:uploads|themes)\//.test(name)
    for (const name of Object.keys(there).filter(isContent)) expect([name, here[name]]).toEqual([name, there[name]])
    expect(await readdir(join(t.place.dataDir, 'local', 'imports')).catch(() => [])).toEqual([])
  })
})

describe('kill -9 while the version of WordPress is changed', () => {
  const type = 'site.change_core'
  const points = pointsOf(
    type,
    ['target', 'unpack', 'pause', 'save', 'replace', 'upgrade', 'verify', 'inspect', 'check_page', 'open'],
    [],
    [crashPointName(type, 'after-run', 'replace')],
  )

  test.each(points.map((point, at) => [point, at] as const))('at %s', async (point, at) => {
    const version = `6.${90 + at}`
    releases.add(version, () => ({ 'new-file.php': `<?php // ${version}` }))
    const before = await fingerprint(live)
    const job = await t.killAt(type, point, { name: live.name, action: 'set_core', args: { version } })
    expectDone(job)
    await expectAtRest(live)
    expect((await t.now.fixture.engine.wordpress.inspect(refOf(live))).version).toBe(version)
    const after = await fingerprint(live)
    // What is kept of the version before changes with it.
    const isOwn = (name: string) => /^(?:[^/]|\/wp-content\/(?!\.easydash-previous\/))/.test(name)
    for (const name of Object.keys(before).filter(isOwn)) expect([name, after[name]]).toEqual([name, before[name]])
    expect(await readFile(join(wwwOf(t.now.fixture, live), 'new-file.php'), 'utf8')).toContain(version)
  })
})
