import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { sampleOf } from '#tests/support/long-run.ts'
import { siteRef } from '../engine-of.ts'

/** Archives that break a real WordPress when they are unpacked: its files come back as they were. */

let t: LocalSites
beforeAll(async () => {
  t = await openLocalSites()
})
afterAll(() => t?.close())

async function send(files: Readonly<Record<string, string>>): Promise<void> {
  const source = join(t.www, '..', 'sent.zip')
  await writeFile(source, makeZip(Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) }))))
  const ref = siteRef(await t.siteNow(), thisMachine)
  await t.fixture.engine.files.put(ref, 'sent.zip', source, true)
  await rm(source)
}

const unpack = () => t.job('unzip_file', { path: 'sent.zip', folder: '', replace: 1 })

async function sent(files: Readonly<Record<string, string>>) {
  await send(files)
  return unpack()
}

async function unzip(files: Readonly<Record<string, string>>) {
  await send(files)
  const before = await t.fingerprint()
  return { before, job: await unpack() }
}

test.each(
  sampleOf([
    ['a wp-config.php that fails', { 'wp-config.php': '<?php missing_function();' }],
    [
      'an index.php that fails',
      { 'index.php': '<?php throw new Error("x");', 'readme.html': 'other', 'more/new.txt': 'n' },
    ],
    ['an empty index.php', { 'index.php': '' }],
    [
      'a must-use plugin that does not parse',
      { 'wp-content/mu-plugins/new/a.txt': 'a', 'wp-content/mu-plugins/x.php': '<?php (' },
    ],
  ]),
)('%s', async (_what, files) => {
  const { before, job } = await unzip(files)
  expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/\S/) })
  expect(job.next_action).toMatch(/^Nothing was extracted: the files are as they were before\./)
  expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await t.visit()).toBe(200)
  expect(await t.fingerprint()).toEqual(before)
  expect((await t.retry(job)).status).toBe('Failed')
  expect(await t.fingerprint()).toEqual(before)
})

test('an archive that breaks nothing stays, and nothing is kept of what it replaced', async () => {
  const { before, job } = await unzip({ 'note.txt': 'n', 'readme.html': 'changed' })
  expect(job.status).toBe('Done')
  const after = await t.fingerprint()
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['/note.txt', '/readme.html'])
  expect((await readdir(join(t.www, '..', 'trash'))).filter((name) => name.startsWith('.undo-'))).toEqual([])
})

test('a site that was broken before keeps what is unpacked, also if it does not repair it', async () => {
  await writeFile(join(t.www, 'wp-content/mu-plugins/broken.php'), '<?php missing_function();')
  await t.fixture.engine.sleepAll()
  expect(await t.visit()).toBe(500)
  const job = await sent({ 'kept.txt': 'n' })
  expect(job.status).toBe('Done')
  expect(await readFile(join(t.www, 'kept.txt'), 'utf8')).toBe('n')
  expect((await sent({ 'wp-content/mu-plugins/broken.php': '<?php ' })).status).toBe('Done')
  expect(await t.visit()).toBe(200)
})
