import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Job } from '#shared/doctypes/job.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { siteRef } from './engine-of.ts'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { sampleOf } from '#tests/support/long-run.ts'

/**
 * Changes that break a real WordPress, and real breakages that others made: each ends in the working state before, or Failed with
 * a way out, and no content is lost.
 */

let t: LocalSites
let before: Readonly<Record<string, string>>
beforeAll(async () => {
  t = await openLocalSites()
})
afterAll(() => t?.close())

/** Puts files into the site, as an owner would by SFTP. */
async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const full = join(t.www, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, content)
  }
}
const remove = async (...paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(join(t.www, path), { recursive: true, force: true })
}

/** The job ended, and the site is what it was: live, answering, with all its content. */
async function expectUnchanged(
  job: { status?: string | null; next_action?: string | null; error_message?: string | null },
  end = 'Failed',
): Promise<void> {
  expect([job.status, job.error_message ?? '']).toEqual([end, end === 'Done' ? '' : expect.stringMatching(/\S/)])
  if (end === 'Failed') expect(job.next_action).toMatch(/\S/)
  expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await t.visit()).toBe(200)
  expect(await t.fingerprint()).toEqual(before)
}

/** Whatever a test leaves behind must not be the beginning of the next one. */
afterEach(async () => {
  await remove('wp-content/plugins/breaker', 'wp-content/themes/breaker', '.maintenance')
  await remove(...['object-cache', 'advanced-cache', 'fatal-error-handler'].map((name) => `wp-content/${name}.php`))
  await remove(...['x.php', 'y.php', 'modern.php'].map((name) => `wp-content/mu-plugins/${name}`))
  const ref = siteRef(await t.siteNow(), thisMachine)
  for (const change of [
    { kind: 'deactivate_plugin', plugin: 'hello.php' },
    { kind: 'activate_theme', theme: 'twentytwentyfour' },
  ] as const)
    await t.fixture.engine.wordpress.change(ref, change, { safe: true })
})

const header = '/* Plugin Name: Breaker */'
describe('a plugin that breaks the site when it is activated', () => {
  test.each(
    sampleOf([
      ['does not parse', `<?php ${header} function (`],
      ['calls what does not exist', `<?php ${header} missing_function();`],
      [
        'fails on pages only',
        `<?php ${header} add_action('template_redirect', function () { throw new Error('broken'); });`,
      ],
      [
        'redirects for ever',
        `<?php ${header} add_action('template_redirect', function () { wp_redirect(add_query_arg('n', wp_rand())); exit; });`,
      ],
      [
        'needs more memory than there is',
        `<?php ${header} add_action('init', function () { if (!is_admin()) $GLOBALS['all'] = array_fill(0, 100000000, 'x'); });`,
      ],
      ['sends nothing', `<?php ${header} add_action('template_redirect', function () { exit; });`],
    ]),
  )('%s', async (_what, code) => {
    await put({ 'wp-content/plugins/breaker/breaker.php': code })
    before = await t.fingerprint()
    await expectUnchanged(await t.job('set_plugin', { plugin: 'breaker/breaker.php', do: 'activate' }))
  })

  test('fails in the footer, after everything that can be seen was sent with status 200', async () => {
    const code = `<?php ${header} add_action('wp_footer', function () { flush(); missing_function(); });`
    await put({ 'wp-content/plugins/breaker/breaker.php': code })
    before = await t.fingerprint()
    const job = await t.job('set_plugin', { plugin: 'breaker/breaker.php', do: 'activate' })
    expect(job.error_message).toMatch(/broke off before its end/)
    await expectUnchanged(job)
  })
})

const style = (more = '') => `/*\nTheme Name: Breaker\n${more}*/`
describe('a theme that breaks the site when it is activated', () => {
  test.each(
    sampleOf([
      [
        'does not parse',
        { 'style.css': style(), 'index.php': '<?php get_header(); get_footer();', 'functions.php': '<?php function (' },
      ],
      [
        'calls what does not exist',
        { 'style.css': style(), 'index.php': '<?php echo 1;', 'functions.php': '<?php missing_function();' },
      ],
      ['fails in its template', { 'style.css': style(), 'index.php': '<?php throw new Error("broken");' }],
      ['has a parent that is missing', { 'style.css': style('Template: nowhere\n'), 'index.php': '<?php echo 1;' }],
      ['has no template', { 'style.css': style(), 'functions.php': '<?php ' }],
    ]),
  )('%s', async (_what, files) => {
    await put(
      Object.fromEntries(
        Object.entries(files).map(([name, content]) => [`wp-content/themes/breaker/${name}`, content]),
      ),
    )
    before = await t.fingerprint()
    await expectUnchanged(await t.job('set_theme', { theme: 'breaker', do: 'activate' }))
  })
})

describe('a PHP version that the code of the site does not know', () => {
  test.each(
    sampleOf([
      ['typed class constants', '8.2', 'class Easy { const string NAME = "x"; }'],
      ['a function', '8.2', 'json_validate("{}");'],
      ['property hooks', '8.3', 'class Easy { public string $a { get => "x"; } }'],
      ['calls without parentheses', '8.3', 'new DateTime()->format("Y"); array_find(array(1), fn ($n) => $n > 0);'],
    ]),
  )('%s', async (_what, version, code) => {
    await put({ 'wp-content/mu-plugins/modern.php': `<?php ${code}` })
    before = await t.fingerprint()
    await expectUnchanged(await t.job('set_php_version', { php_version: version }))
    expect((await t.siteNow()).php_version).toBe('8.4')
  })
})

/** A must-use plugin that sends visitors to an address, a PHP expression. */
const redirecting = (to: string) => ({
  'wp-content/mu-plugins/x.php': `<?php add_action('init', function () { header('Location: ' . (${to})); exit; });`,
})

/** What others broke: the change says so, and the site works again once the file is gone. */
const foreign = {
  'a must-use plugin': [
    ['does not parse', { 'wp-content/mu-plugins/x.php': '<?php function (' }],
    ['calls what does not exist', { 'wp-content/mu-plugins/x.php': '<?php missing_function();' }],
    ['ends every request', { 'wp-content/mu-plugins/x.php': '<?php exit;' }],
    ['needs another one', { 'wp-content/mu-plugins/x.php': "<?php require __DIR__ . '/missing.php';" }],
  ],
  'a redirect or .htaccess': [
    ['to the page itself', redirecting("$_SERVER['REQUEST_URI']")],
    ['between two pages', redirecting("isset($_GET['n']) ? '/' : '/?n=1'")],
    ['to an encrypted address that nobody serves', redirecting("'https://' . $_SERVER['HTTP_HOST'] . '/'")],
    ['that does not parse', { '.htaccess': '<IfModule mod_rewrite.c>\nRewriteRule [' }],
    ['of rules that never end', { '.htaccess': 'RewriteEngine On\nRewriteRule ^(.*)$ /x/$1 [R=301,L]\n' }],
  ],
  'a drop-in': [
    ['object cache that does not parse', { 'wp-content/object-cache.php': '<?php function (' }],
    ['object cache without its functions', { 'wp-content/object-cache.php': '<?php class Nothing {}' }],
    [
      'advanced cache that ends',
      { 'wp-content/advanced-cache.php': '<?php exit;', 'wp-content/mu-plugins/y.php': '<?php ' },
    ],
    ['fatal error handler that fails', { 'wp-content/fatal-error-handler.php': '<?php missing_function();' }],
  ],
  'a wp-config.php': [
    ['that does not parse', { 'wp-config.php': '<?php function (' }],
    ['that is empty', { 'wp-config.php': '' }],
    ['that is half written', { 'wp-config.php': "<?php\ndefine( 'AUTH_KEY', 'abc" }],
    ['that fails', { 'wp-config.php': '<?php missing_function();' }],
  ],
  'a maintenance file': [
    ['of now', { '.maintenance': '<?php $upgrading = time();' }],
    ['of the future', { '.maintenance': '<?php $upgrading = 4102444800;' }],
    ['that does not parse', { '.maintenance': '<?php $upgrading = ' }],
    ['that fails', { '.maintenance': '<?php missing_function();' }],
  ],
} as const

describe.each(Object.entries(foreign))('%s left by somebody else', (_family, cases) => {
  test.each(sampleOf(cases.map(([what, files]) => [what, files] as const)))('%s', async (_what, files) => {
    before = await t.fingerprint()
    const config = await readFile(join(t.www, 'wp-config.php'), 'utf8')
    await put(files)
    const job = await t.job('set_plugin', { plugin: 'hello.php', do: 'activate' })
    expect(['Done', 'Failed']).toContain(job.status)
    if (job.status === 'Failed') expect(job.next_action).toMatch(/\S/)
    const isKnown = !/could not be put back/.test(String(job.error_message))
    const { locked_by_job, status } = await t.siteNow()
    expect(locked_by_job).toBeNull()
    if (!isKnown) expect(status).toBe('Failed')
    await remove(...Object.keys(files))
    await put({ 'wp-config.php': config })
    // PHP looks for changed files every two seconds.
    await expect.poll(() => t.visit()).toBe(200)
    // What the job says is what became of the plugin, and of everything else.
    const after = await t.fingerprint()
    const isChanged = (name: string) => after[name] !== before[name]
    const changed = Object.keys({ ...before, ...after }).filter(isChanged)
    const activated = ['active ["hello.php"]', 'active []']
    if (isKnown) expect(changed.toSorted(), String(job.error_message)).toEqual(job.status === 'Done' ? activated : [])
    else expect([activated, []]).toContainEqual(changed.toSorted())
    // The way out: the next change finds that the site works again.
    for (const operation of ['activate', 'deactivate'])
      expect((await t.job('set_plugin', { plugin: 'hello.php', do: operation })).status).toBe('Done')
    expect((await t.siteNow()).status).toBe('Live')
    expect(await t.visit()).toBe(200)
    expect(await t.fingerprint()).toEqual(before)
  })
})

const changes = [
  ['set_plugin', { plugin: 'hello.php', do: 'activate' }],
  ['set_theme', { theme: 'twentytwentythree', do: 'activate' }],
  ['set_php_version', { php_version: '8.3' }],
  ['set_limits', { memory_mb: '128', upload_mb: '8' }],
] as const

/** A change ended one way or the other: what is not Done left nothing behind, and content stays as it is. */
async function expectAnEnd(job: Job): Promise<void> {
  expect(['Done', 'Failed']).toContain(job.status)
  if (job.status === 'Failed') expect(job.next_action).toMatch(/\S/)
  expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await t.visit()).toBe(200)
  if (job.status === 'Done') {
    const undo: Record<string, [string, Record<string, unknown>]> = {
      activate_plugin: ['set_plugin', { plugin: 'hello.php', do: 'deactivate' }],
      activate_theme: ['set_theme', { theme: 'twentytwentyfour', do: 'activate' }],
      set_php_version: ['set_php_version', { php_version: '8.4' }],
      set_limits: ['set_limits', { memory_mb: '256', upload_mb: '64' }],
    }
    const [action, args] = undo[String(job.job_type).replace('site.', '')] ?? ['', {}]
    expect((await t.job(action, args)).status).toBe('Done')
  }
  expect(await t.fingerprint()).toEqual(before)
}

describe('a database that somebody else locks during a change', () => {
  test.each(sampleOf(changes))('%s', async (action, args) => {
    await put({
      'lock.php': `<?php $db = new PDO('sqlite:/wordpress/wp-content/database/.ht.sqlite'); $db->exec('BEGIN EXCLUSIVE'); sleep(3); $db->exec('COMMIT');`,
    })
    before = await t.fingerprint()
    const locking = t.fixture.fetch(t.site, '/lock.php')
    await expectAnEnd(await t.job(action, args))
    await locking
    await remove('lock.php')
  })
})

describe('a process that is killed during a change', () => {
  test.each(sampleOf(changes))('%s', async (action, args) => {
    before = await t.fingerprint()
    const job = t.job(action, args)
    for (let kills = 0; kills < 3; kills += 1) {
      const pid = (await t.fixture.hosted({ id: t.site.name }))?.pid
      if (pid != null) process.kill(pid, 'SIGKILL')
      await t.visit()
    }
    await expectAnEnd(await job)
  })
})
