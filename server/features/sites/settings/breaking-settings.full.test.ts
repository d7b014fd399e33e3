import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { sampleOf } from '#tests/support/long-run.ts'
import { rejectionOf } from '#tests/support/sites.ts'

/** Saves that break a real WordPress: its settings and names come back as they were. */

let t: LocalSites
const trap = () => join(t.www, 'wp-content/mu-plugins/trap.php')
beforeAll(async () => {
  t = await openLocalSites()
})
afterAll(() => t?.close())
afterEach(() => rm(trap(), { force: true }))

/** Code of the site that runs from now on. */
async function plant(code: string): Promise<void> {
  await writeFile(trap(), `<?php ${code}`)
  await t.fixture.engine.sleepAll()
}

test.each(
  sampleOf([
    [
      'a sanitize hook that dies',
      "add_filter( 'sanitize_option_blogdescription', function ( $value ) { if ( $value === 'Bad' ) { die(); } return $value; } );",
    ],
    [
      'a sanitize hook that fails',
      "add_filter( 'sanitize_option_blogdescription', function ( $value ) { if ( $value === 'Bad' ) { missing(); } return $value; } );",
    ],
    [
      'a page that fails with the new value',
      "add_action( 'template_redirect', function () { if ( get_option( 'blogdescription' ) === 'Bad' ) { throw new Error( 'x' ); } } );",
    ],
    [
      'code that fails wherever the new value is read',
      "if ( get_option( 'blogdescription' ) === 'Bad' ) { missing_function(); }",
    ],
  ]),
)('%s: all settings of the save are as before', async (_what, code) => {
  await plant(code)
  const before = await t.fingerprint()
  const { values } = (await t.act('read_wordpress_settings')) as { values: Record<string, unknown> }
  const changes = { title: 'Other', tagline: 'Bad', permalinks: '/archives/%post_id%', timezone: 'Europe/Berlin' }
  const error = await rejectionOf(t.act('save_wordpress_settings', { changes, expected: values }))
  expect(error).toMatchObject({
    nextAction: { text: expect.stringMatching(/^The settings are as they were before\./) },
  })
  expect(await t.visit()).toBe(200)
  expect(await t.fingerprint()).toEqual(before)
  expect(await t.act('read_wordpress_settings')).toMatchObject({ values })
})

test('a mode of an alias with which code of the site fails is taken back', async () => {
  await t.act('add_alias', { domain: 'alias.example', mode: 'redirect' })
  const { aliases } = await t.siteNow()
  await plant("if ( str_starts_with( $_SERVER['HTTP_HOST'] ?? '', 'alias.example' ) ) { missing_function(); }")
  const before = await t.fingerprint()
  const error = await rejectionOf(t.act('set_alias_mode', { domain: 'alias.example', mode: 'serve' }))
  expect(error).toMatchObject({
    message: expect.stringContaining('status 500'),
    nextAction: { text: expect.stringMatching(/^The aliases are as they were before\./) },
  })
  expect((await t.siteNow()).aliases).toEqual(aliases)
  expect((await t.fixture.fetch('alias.example', '/')).status).toBe(301)
  expect(await t.fingerprint()).toEqual(before)
})
