import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { rejectionOf } from '#tests/support/sites.ts'
import { siteRef } from './engine-of.ts'

/**
 * Changes of a real WordPress that find no room, and uploads that are not whole: each ends in the state before, or Failed with a
 * way out, and no content is lost.
 */

let t: LocalSites
let before: Readonly<Record<string, string>>
const mb = 1024 * 1024
/** Shrinks to a twentieth in an archive: as much as nobody takes for a bomb. */
const repetitive = (size: number) =>
  Buffer.concat(Array.from({ length: size * 64 }, () => Buffer.from(randomBytes(256).toString('hex').repeat(32))))
const plugin = (content: Buffer) =>
  makeZip([
    { name: 'tool/tool.php', content: Buffer.from('<?php /* Plugin Name: Tool\nVersion: 1.0 */') },
    { name: 'tool/data.bin', content },
  ])

beforeAll(async () => {
  t = await openLocalSites()
  before = await t.fingerprint()
})
afterAll(() => t?.close())
/** What a test leaves must not be the beginning of the next one. */
afterEach(async () => {
  for (const name of ['many.zip', 'half.zip']) await rm(join(t.www, name), { force: true })
})

/** The site is what it was: live, answering, with all its content and nothing besides. */
async function expectUnchanged(): Promise<void> {
  expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await t.visit()).toBe(200)
  expect(await t.fingerprint()).toEqual(before)
}
/** The job ended Failed, and says why and what to do. */
async function expectFailed(job: ReturnType<LocalSites['job']>, why: RegExp): Promise<void> {
  expect(await job).toMatchObject({
    status: 'Failed',
    error_message: expect.stringMatching(why),
    next_action: expect.stringMatching(/\S/),
  })
}

/** A plugin is refused when it is uploaded, or its installation ends Failed. */
async function expectRefused(content: Buffer, why: RegExp): Promise<void> {
  const staged = await t.upload('wordpress_package', content).catch((error: Error) => error)
  if (staged instanceof Error) expect(staged.message).toMatch(why)
  else await expectFailed(t.job('install_package', { package: staged['package'] }), why)
}

const quotas = defaultSiteQuotas.wp
const noRoom = /space|room|quota|storage|full|files/i
async function storage() {
  const seen = await t.fixture.engine.observe(siteRef(await t.siteNow(), thisMachine))
  if (seen.storage === null) throw new Error('The site was not measured')
  return seen.storage
}

describe('a site whose disk space is used up', () => {
  beforeAll(async () => {
    await t.fixture.engine.quotas.set(t.site.name, { ...quotas, disk_mb: Math.ceil((await storage()).bytes / mb) })
  })
  afterAll(() => t.fixture.engine.quotas.set(t.site.name, quotas))

  test('a plugin is uploaded', async () => {
    expect(await rejectionOf(t.upload('wordpress_package', plugin(randomBytes(3 * mb))))).toMatchObject({
      message: expect.stringMatching(noRoom),
    })
    await expectUnchanged()
  })

  test('a small plugin becomes large when it is unpacked', async () => {
    await expectRefused(plugin(repetitive(6)), noRoom)
    await expectUnchanged()
  })

  test('a file is uploaded, also over an existing one', async () => {
    for (const metadata of [
      { path: 'large.bin', replace: '0' },
      { path: 'index.php', replace: '1' },
    ])
      expect(
        await rejectionOf(t.upload('site_file', randomBytes(3 * mb), { site: t.site.name, ...metadata })),
      ).toMatchObject({ message: expect.stringMatching(noRoom) })
    await expectUnchanged()
  })

  test('an archive is unpacked', async () => {
    const members = [1, 2, 3].map((n) => ({ name: `many/file-${n}.bin`, content: repetitive(2) }))
    await t.upload('site_file', makeZip(members), { site: t.site.name, path: 'many.zip' })
    await expectFailed(t.job('unzip_file', { path: 'many.zip', folder: '', replace: 0 }), noRoom)
    await t.act('delete_files', { paths: ['many.zip'] })
    await expectUnchanged()
  })

  test('a statement writes more than there is room for', async () => {
    const sql = `INSERT INTO wp_postmeta (post_id, meta_key, meta_value)
      SELECT a.ID, 'large', b.post_content FROM wp_posts a, wp_posts b, wp_posts c`
    const error = await rejectionOf(t.act('run_sql', { sql, confirmed: 1 }))
    expect(error?.message).toMatch(noRoom)
    await expectUnchanged()
  })
})

describe('a site that may have no more files', () => {
  beforeAll(async () => {
    await t.fixture.engine.quotas.set(t.site.name, { ...quotas, files: (await storage()).files + 20 })
  })
  afterAll(() => t.fixture.engine.quotas.set(t.site.name, quotas))
  const many = (folder: string) =>
    Array.from({ length: 200 }, (_, n) => ({ name: `${folder}/file-${n}.txt`, content: Buffer.from(String(n)) }))

  test('an archive is unpacked', async () => {
    await t.upload('site_file', makeZip(many('many')), { site: t.site.name, path: 'many.zip' })
    await expectFailed(t.job('unzip_file', { path: 'many.zip', folder: '', replace: 0 }), noRoom)
    await t.act('delete_files', { paths: ['many.zip'] })
    await expectUnchanged()
  })

  test('a plugin is installed', async () => {
    const header = { name: 'tool/tool.php', content: Buffer.from('<?php /* Plugin Name: Tool */') }
    await expectRefused(makeZip([header, ...many('tool')]), noRoom)
    await expectUnchanged()
  })
})

describe('an upload that is not whole', () => {
  const whole = plugin(randomBytes(100_000))
  const half = (content: Buffer) => content.subarray(0, content.length / 2)
  const broken = /ZIP|archive|damaged|complete|read|whole/i

  test.each([
    ['is cut in the middle', () => half(whole)],
    ['has nothing in it', () => Buffer.alloc(0)],
    [
      'has its directory, but half of its content',
      () => Buffer.concat([whole.subarray(0, 60_000), whole.subarray(90_000)]),
    ],
    [
      'has other content than it says',
      () => {
        const changed = Buffer.from(whole)
        changed.fill(0x41, 20_000, 21_000)
        return changed
      },
    ],
  ])('a plugin that %s', async (_what, content) => {
    await expectRefused(content(), broken)
    await expectUnchanged()
  })

  test('an archive in the file manager that is cut in the middle', async () => {
    await t.upload('site_file', half(whole), { site: t.site.name, path: 'half.zip' })
    await expectFailed(t.job('unzip_file', { path: 'half.zip', folder: '', replace: 1 }), broken)
    await t.act('delete_files', { paths: ['half.zip'] })
    await expectUnchanged()
  })

  test('an export that is cut in the middle makes no site', async () => {
    const sites = (await t.sites()).length
    expect(await rejectionOf(t.upload('site-import', half(whole), { server: t.server, domain: 'half' }))).toMatchObject(
      { message: expect.stringMatching(broken) },
    )
    expect((await t.sites()).length).toBe(sites)
    expect(await readdir(join(t.fixture.dataDir, 'local', 'imports')).catch(() => [])).toEqual([])
    await expectUnchanged()
  })
})
