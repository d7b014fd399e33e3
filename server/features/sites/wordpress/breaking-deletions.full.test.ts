import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { sampleOf } from '#tests/support/long-run.ts'

/** Deletions that break a real WordPress: files and rows come back as they were. */

let t: LocalSites
beforeAll(async () => {
  t = await openLocalSites()
})
afterAll(() => t?.close())

const at = (path: string) => join(t.www, path)
/** Like files that WordPress wrote: they belong to the site. */
async function put(files: Readonly<Record<string, string>>): Promise<void> {
  const { uid, gid } = await stat(t.www)
  for (const [path, content] of Object.entries(files)) {
    const first = await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), content)
    for (let one = at(path); first !== undefined && one.length >= first.length; one = dirname(one))
      await chown(one, uid, gid)
  }
}
const remove = async (...paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(at(path), { recursive: true, force: true })
}

const plugin = '<?php /* Plugin Name: Needed */ '
/** Its routine removes rows, which `uninstall.php` of real plugins do. */
const uninstall = `<?php if ( ! defined( 'WP_UNINSTALL_PLUGIN' ) ) exit;
  delete_option( 'shop' ); global $wpdb; $wpdb->query( "DELETE FROM $wpdb->postmeta" );`

const broken = [
  [
    'a plugin whose files a must-use plugin loads',
    'set_plugin',
    { plugin: 'needed/needed.php', do: 'delete' },
    {
      'wp-content/plugins/needed/needed.php': plugin,
      'wp-content/plugins/needed/lib/functions.php': '<?php function needed() {}',
      'wp-content/plugins/needed/uninstall.php': uninstall,
      'wp-content/languages/plugins/needed-de_DE.po': 'msgid ""',
      'wp-content/mu-plugins/uses.php':
        "<?php require WP_PLUGIN_DIR . '/needed/lib/functions.php'; add_action( 'wp', function () { needed(); } );",
    },
  ],
  [
    'a plugin whose rows a must-use plugin needs',
    'set_plugin',
    { plugin: 'needed/needed.php', do: 'delete' },
    {
      'wp-content/plugins/needed/needed.php': plugin,
      'wp-content/plugins/needed/uninstall.php': uninstall,
      'wp-content/mu-plugins/uses.php':
        "<?php add_action( 'template_redirect', function () { if ( ! get_option( 'shop' ) ) { throw new Error( 'no shop' ); } } );",
    },
  ],
  [
    'a plugin of one file that a must-use plugin loads',
    'set_plugin',
    { plugin: 'single.php', do: 'delete' },
    {
      'wp-content/plugins/single.php': plugin,
      'wp-content/mu-plugins/uses.php': "<?php require WP_PLUGIN_DIR . '/single.php';",
    },
  ],
  [
    'a plugin whose own routine fails halfway',
    'set_plugin',
    { plugin: 'needed/needed.php', do: 'delete' },
    {
      'wp-content/plugins/needed/needed.php': plugin,
      'wp-content/plugins/needed/uninstall.php': `${uninstall} missing_function();`,
    },
  ],
  [
    'a theme whose files a must-use plugin loads',
    'set_theme',
    { theme: 'needed', do: 'delete' },
    {
      'wp-content/themes/needed/style.css': '/*\nTheme Name: Needed\n*/',
      'wp-content/themes/needed/index.php': '<?php echo 1;',
      'wp-content/themes/needed/inc/functions.php': '<?php function needed() {}',
      'wp-content/mu-plugins/uses.php': "<?php require WP_CONTENT_DIR . '/themes/needed/inc/functions.php';",
    },
  ],
] as const

describe('a deletion that breaks the site', () => {
  test.each(sampleOf(broken))('%s', async (_what, action, args, files) => {
    await put(files)
    const before = await t.fingerprint()
    const job = await t.job(action, args)
    expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/\S/) })
    expect(job.next_action).toMatch(/site is as it was before/)
    expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
    expect(await t.visit()).toBe(200)
    expect(await t.fingerprint()).toEqual(before)
    // A retry does it again, and says again that it failed.
    const retried = await t.retry(job)
    expect(retried.status).toBe('Failed')
    expect(await t.fingerprint()).toEqual(before)
    await remove(...Object.keys(files), 'wp-content/plugins/needed', 'wp-content/themes/needed')
  })
})

test('a deletion that breaks nothing removes files and rows for good, and keeps nothing', async () => {
  const { 'wp-content/mu-plugins/uses.php': _uses, ...files } = broken[0][3]
  const before = await t.fingerprint()
  await put(files)
  expect(await t.job('set_plugin', { plugin: 'needed/needed.php', do: 'delete' })).toMatchObject({ status: 'Done' })
  expect(await t.visit()).toBe(200)
  const after = await t.fingerprint()
  expect(Object.keys(before).filter((name) => !(name in after))).toContain('options shop')
  expect(
    Object.keys(after).filter((name) => /plugins\/needed\/|easydash-(?:previous\/deleted|saved)/.test(name)),
  ).toEqual([])
  expect(JSON.parse(await readFile(join(t.www, '..', 'site.json'), 'utf8'))).not.toHaveProperty('deletion')
})
