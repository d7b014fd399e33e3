import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import { until } from '#server/engines/local/engine-fixture.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { crashPointName } from '#server/jobs/crash-point.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { fingerprintOf, wwwOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'
import { siteRef } from './engine-of.ts'

/**
 * kill -9 of the process while files of a real site are unpacked and packed: after the restart each job is completed, and
 * nothing else is changed, locked or left lying around.
 */

/** Points that only the long run has. */
const inLong = (...points: string[]) => (process.env['EASYDASH_TEST_LONG'] === '1' ? points : [])

let t: LocalKills
let live: Site

beforeAll(async () => {
  t = await openLocalKills()
  live = await t.makeLive()
})
afterAll(() => t?.close())

const refOf = (site: Site) => siteRef(site, thisMachine)
const fingerprint = () => fingerprintOf(t.now.fixture, live)
const trash = () => join(wwwOf(t.now.fixture, live), '..', 'trash')

async function expectAtRest(): Promise<void> {
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null })
  expect((await t.now.fixture.fetch(live, '/')).status).toBe(200)
  expect(await t.leftovers(live)).toEqual([])
  // Undo, work in progress.
  expect((await readdir(trash())).filter((name) => /^\.(?:undo|work)-/.test(name))).toEqual([])
}

/** Everything that was there is as it was. */
function expectKept(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(before)) expect([name, after[name]]).toEqual([name, before[name]])
}

const put = (path: string, content: string) => t.now.fixture.writeFile(refOf(live), path, content)

describe('kill -9 while an archive is unpacked', () => {
  const type = 'site.unzip_file'
  const count = 3_000
  const asked = () => ({
    name: live.name,
    action: 'unzip_file',
    args: { path: 'many.zip', folder: '', replace: 1 },
  })

  beforeAll(async () => {
    const names = ['readme.html', ...Array.from({ length: count }, (_, at) => `many/${at % 50}/${at}.txt`)]
    const source = join(t.place.dataDir, 'many.zip')
    await writeFile(source, makeZip(names.map((name) => ({ name, content: Buffer.from(`of ${name}`) }))))
    await t.now.fixture.engine.files.put(refOf(live), 'many.zip', source, false)
  })

  async function expectUnpacked(before: Readonly<Record<string, string>>): Promise<void> {
    await expectAtRest()
    const { '/readme.html': _replaced, ...others } = before
    const after = await fingerprint()
    expectKept(others, after)
    expect(Object.keys(after).filter((name) => name.startsWith('/many/'))).toHaveLength(count)
    expect(await readFile(join(wwwOf(t.now.fixture, live), 'readme.html'), 'utf8')).toBe('of readme.html')
    await t.now.fixture.engine.files.remove(refOf(live), ['many'])
    await put('readme.html', 'before')
  }

  test.each([
    crashPointName(type, 'after-run', 'unpack'),
    ...inLong(crashPointName(type, 'after-run', 'check_page'), crashPointName(type, 'after-run', 'keep')),
  ])('at %s', async (point) => {
    const before = await fingerprint()
    const job = await t.killAt(type, point, asked())
    expect([job.status, job.error_message]).toEqual(['Done', null])
    await expectUnpacked(before)
  })

  test('as soon as the first files are there', async () => {
    const before = await fingerprint()
    const folder = join(wwwOf(t.now.fixture, live), '..')
    const isUnpacking = async () =>
      (await readdir(folder, { recursive: true })).some((path) => /(?:^|\/)many\/\d+\/\d+\.txt$/.test(path))
    expect(await isUnpacking()).toBe(false)
    const job = await t.killAt(type, 'none', asked(), async (kill) => {
      await until(isUnpacking)
      kill()
    })
    expect([job.status, job.error_message]).toEqual(['Done', null])
    await expectUnpacked(before)
  })
})

test('kill -9 after an archive was made: the repeated job finds its own', async () => {
  const type = 'site.zip_files'
  const before = await fingerprint()
  const args = { paths: ['wp-content/uploads'], to: 'packed.zip' }
  const point = crashPointName(type, 'after-run', 'pack')
  const job = await t.killAt(type, point, { name: live.name, action: 'zip_files', args })
  expect([job.status, job.error_message]).toEqual(['Done', null])
  await expectAtRest()
  const after = await fingerprint()
  expectKept(before, after)
  expect(Object.keys(after).filter((name) => !(name in before))).toEqual(['/packed.zip'])
})
