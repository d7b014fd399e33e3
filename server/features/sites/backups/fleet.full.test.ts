import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { createProductDatabase } from '#tests/support/database.ts'
import { makeOrganization, untilEnded } from '#tests/support/jobs.ts'
import { wwwOf } from '#tests/support/local-content.ts'
import { startLocalProcess, type LocalProcess } from '#tests/support/local-process.ts'
import { makeLocalServer, makeLocalSite } from '#tests/support/local-sites.ts'
import { siteRef } from '../engine-of.ts'

/*
 * A fleet of generated sites, each with some of what real ones have: nearly all backups are proven, and none of a site that is well is
 * said to have failed.
 */

let local: LocalProcess
let database: Awaited<ReturnType<typeof createProductDatabase>>
let owner: Session
let server: string

beforeAll(async () => {
  database = await createProductDatabase()
  // What a site has is made by one request, which may take longer on a busy machine than those of visitors.
  local = await startLocalProcess(database.database, { engine: { requestSeconds: 600 } })
  owner = await makeOrganization(local.running.documents, 'acme')
  server = await makeLocalServer(local.running.documents)
})
afterAll(async () => {
  await local?.stop()
  await database?.drop()
})

const begin = `require __DIR__ . '/wp-load.php'; global $wpdb, $wp_rewrite;`
const posts = (count: number, more: string) =>
  `for ($i = 0; $i < ${count}; $i++) { $id = wp_insert_post(array('post_title' => "Post $i", 'post_status' => 'publish', ${more})); }`
const plugin = (name: string, code: string) => ({
  [`wp-content/plugins/${name}/${name}.php`]: `<?php\n/* Plugin Name: ${name} */\n${code}\n`,
})
const activate = (name: string) =>
  `update_option('active_plugins', array_merge((array) get_option('active_plugins'), array('${name}/${name}.php')));`

/** Something that real sites have: how they were made, files, and what a script of WordPress does. */
interface Trait {
  readonly values?: Partial<Pick<Site, 'site_type' | 'php_version' | 'multisite'>>
  readonly files?: Readonly<Record<string, string | Buffer>>
  readonly code?: string
}

const traits: Readonly<Record<string, Trait>> = {
  'a shop with tables of its own': {
    files: plugin(
      'shop',
      `add_action('init', function () { register_post_type('product', array('public' => true, 'has_archive' => true)); });`,
    ),
    code: `${activate('shop')} $wpdb->query("CREATE TABLE {$wpdb->prefix}shop_orders (id bigint unsigned NOT NULL AUTO_INCREMENT, \`order\` varchar(40) NOT NULL DEFAULT '', \`group\` int NULL, total decimal(10,2) NOT NULL DEFAULT '0.00', made datetime NOT NULL DEFAULT '0000-00-00 00:00:00', PRIMARY KEY (id), KEY made (made))");
      for ($i = 0; $i < 500; $i++) $wpdb->insert("{$wpdb->prefix}shop_orders", array('order' => "No. $i '\\"\\\\", 'group' => $i % 3 ? $i : null, 'total' => $i / 7)); ${posts(20, `'post_type' => 'product'`)}`,
  },
  'tables of odd kinds': {
    code: `$p = $wpdb->prefix; $wpdb->query("CREATE TABLE {$p}empty_one (id int)"); $wpdb->query("CREATE TABLE {$p}pairs (a int NOT NULL, b varchar(20) NOT NULL, c longblob, PRIMARY KEY (a, b))");
      for ($i = 0; $i < 50; $i++) $wpdb->query("INSERT INTO {$p}pairs VALUES (-$i, 'b$i', X'00ff0a0d27225c')"); $wpdb->query("CREATE TABLE {$p}keyless (f double, t text)"); for ($i = 0; $i < 20; $i++) $wpdb->query("INSERT INTO {$p}keyless VALUES (1.5e$i, NULL)");`,
  },
  'many uploads': {
    files: Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [
        `wp-content/uploads/2024/0${(at % 9) + 1}/Bild ${at} – ü'&.jpg`,
        Buffer.alloc(at * 40, at),
      ]),
    ),
    code: `for ($i = 0; $i < 30; $i++) wp_insert_attachment(array('post_title' => "Bild $i", 'post_mime_type' => 'image/jpeg', 'guid' => home_url("/wp-content/uploads/2024/01/$i.jpg")), "2024/01/$i.jpg");`,
  },
  'a large file': { files: { 'wp-content/uploads/film.bin': Buffer.alloc(24_000_000, 'film') } },
  'deep folders and long names': {
    files: {
      [`wp-content/uploads/${'deep/'.repeat(30)}${'n'.repeat(200)}.txt`]: 'deep',
      'wp-content/uploads/.hidden': 'h',
      'wp-content/uploads/empty.txt': '',
      '日本語.txt': 'x',
    },
  },
  'another language': {
    code: `update_option('WPLANG', 'de_DE'); update_option('blogname', 'Grüße & „Küsse“ <3'); update_option('timezone_string', 'Europe/Berlin');`,
  },
  'broken serialization': {
    code: `$wpdb->insert($wpdb->options, array('option_name' => 'broken', 'option_value' => 'a:2:{s:3:"url";s:99:"short";i:0', 'autoload' => 'yes')); foreach (array(1, 2) as $id) $wpdb->insert($wpdb->postmeta, array('post_id' => $id, 'meta_key' => 'broken', 'meta_value' => 'O:7:"Missing":1:{s:1:"a";s:9:"' . home_url() . '";}'));`,
  },
  'huge options': {
    code: `add_option('huge', str_repeat("huge '\\\\\\n", 500000), '', 'no'); add_option('large', array_fill(0, 20000, array('a' => home_url(), 'b' => null)), '', 'yes');`,
  },
  'many posts': { code: posts(400, `'post_content' => str_repeat("Text 🎉 'quoted' \\\\\\\\ \\n", 60)`) },
  'names of posts in addresses': {
    code: `$wp_rewrite->set_permalink_structure('/%year%/%postname%/'); flush_rewrite_rules();`,
  },
  'a page in front': {
    code: `$id = wp_insert_post(array('post_type' => 'page', 'post_title' => 'Front “page” & more', 'post_status' => 'publish')); update_option('show_on_front', 'page'); update_option('page_on_front', $id);`,
  },
  'many users': {
    code: `for ($i = 0; $i < 40; $i++) { $u = wp_insert_user(array('user_login' => "user$i", 'user_pass' => 'x', 'user_email' => "u$i@example.com", 'role' => $i % 2 ? 'author' : 'subscriber')); update_user_meta($u, 'note', array('ü' => $i)); }`,
  },
  comments: {
    code: `$p = 0; for ($i = 0; $i < 200; $i++) $p = wp_insert_comment(array('comment_post_ID' => 1, 'comment_content' => "Comment $i", 'comment_parent' => $i % 5 ? $p : 0, 'comment_approved' => $i % 3 ? 1 : 'spam'));`,
  },
  'a door for members only': {
    files: {
      'wp-content/mu-plugins/door.php': `<?php add_action('template_redirect', function () { if (!is_user_logged_in()) auth_redirect(); });`,
    },
  },
  'a page that says it is coming': {
    files: {
      'wp-content/mu-plugins/soon.php': `<?php add_action('template_redirect', function () { if (is_user_logged_in()) return; status_header(503); echo '<html><head><title>Coming soon</title></head><body></body></html>'; exit; });`,
    },
  },
  'its address everywhere': {
    code: `update_option('widget_text', array(2 => array('title' => 'T', 'text' => '<a href="' . home_url('/a') . '">a</a>'), '_multiwidget' => 1)); add_option('json', wp_json_encode(array('url' => home_url('/b')))); ${posts(10, `'post_content' => '<img src="' . home_url('/wp-content/uploads/x.png') . '">'`)}`,
  },
  'a theme of its own': {
    files: {
      'wp-content/themes/own/style.css': '/*\nTheme Name: Own\n*/',
      'wp-content/themes/own/index.php': `<?php ?><!doctype html><html><head><title><?php bloginfo('name'); ?> – own</title></head><body><?php while (have_posts()) { the_post(); the_title(); } ?></body></html>`,
      'wp-content/themes/own/functions.php': '<?php',
    },
    code: `switch_theme('own');`,
  },
  'code that warns and code that is broken': {
    files: {
      ...plugin('warns', `$x = array(); $y = @$x['missing']; trigger_error('careless', E_USER_WARNING);`),
      ...plugin('broken', 'this is not PHP ('),
    },
    code: activate('warns'),
  },
  'nothing published': {
    code: `foreach (get_posts(array('numberposts' => -1, 'post_type' => array('post', 'page'))) as $p) wp_update_post(array('ID' => $p->ID, 'post_status' => 'draft'));`,
  },
  'a network': {
    values: { multisite: 'subdir' },
    code: `require_once ABSPATH . 'wp-admin/includes/upgrade.php'; foreach (array('shop', 'blog') as $n) { $id = wpmu_create_blog(get_network()->domain, "/$n/", "The $n", 1); switch_to_blog($id); ${posts(5, `'post_content' => home_url()`)} restore_current_blog(); }`,
  },
  'an older PHP': { values: { php_version: '8.2' } },
  'another prefix': {
    code: `foreach ($wpdb->get_col('SHOW TABLES') as $t) if (0 === strpos($t, 'wp_')) { $to = 'q7_' . substr($t, 3);
        $wpdb->query(str_replace("\`$t\`", "\`$to\`", $wpdb->get_row("SHOW CREATE TABLE $t", ARRAY_N)[1])); $wpdb->query("INSERT INTO $to SELECT * FROM $t"); $wpdb->query("DROP TABLE $t"); }
      foreach (array('options' => 'option_name', 'usermeta' => 'meta_key') as $t => $c) foreach ($wpdb->get_col("SELECT $c FROM q7_$t") as $n) if (0 === strpos($n, 'wp_')) $wpdb->update("q7_$t", array($c => 'q7_' . substr($n, 3)), array($c => $n));
      $f = ABSPATH . 'wp-config.php'; file_put_contents($f, str_replace("'wp_'", "'q7_'", file_get_contents($f))); opcache_invalidate($f, true);`,
  },
  'events and transients': {
    code: `for ($i = 0; $i < 50; $i++) { wp_schedule_single_event(time() + 86400 + $i, "event_$i"); set_transient("t$i", str_repeat('x', 1000), 3600); }`,
  },
}

const names = Object.keys(traits)
/** A site has a trait for which it is named, and two others. What renames its tables comes last. */
const fleet = names.map((name, at) => {
  const all = new Set([name, names[(at * 7 + 3) % names.length], names[(at * 3 + 8) % names.length]])
  const isLast = all.delete('another prefix')
  return [name, [...all, ...(isLast ? ['another prefix'] : [])]] as const
})
const verdicts: string[] = []
const documents = () => local.running.documents

async function generate(at: number, of: readonly (string | undefined)[]): Promise<Site> {
  const values = Object.assign({}, ...of.map((name) => traits[name ?? '']?.values))
  const site = await makeLocalSite(documents(), owner, { server, domain: `fleet${at}`, title: `Site ${at}`, ...values })
  const { fixture } = local
  const ref = siteRef(site, thisMachine)
  for (const name of of) {
    const { files = {}, code } = traits[name ?? ''] ?? {}
    for (const [path, content] of Object.entries(files)) {
      const to = join(wwwOf(fixture, site), path)
      await mkdir(dirname(to), { recursive: true })
      await writeFile(to, content)
    }
    if (code !== undefined)
      expect([name, await fixture.php(ref, `${begin} ${code} echo 'made';`)]).toEqual([name, 'made'])
  }
  return site
}

/** Backs a site up, and waits for the proof. */
async function proven(site: Site): Promise<SiteBackup> {
  const begun = (await documents().runAction(owner, 'Site', site.name, 'backup', {})) as { name: string; job: string }
  const made = await untilEnded(documents(), begun.job)
  expect([made.status, made.error_message]).toEqual(['Done', null])
  const read = <T>(work: Parameters<ReturnType<typeof documents>['transaction']>[1]) =>
    documents().transaction(systemSession(), work) as Promise<T>
  const jobs = await read<{ name: string }[]>((tx) => tx.list(JobDoctype, [['reference_name', '=', begun.name]]))
  expect(jobs).toHaveLength(1)
  for (const { name } of jobs) expect(await untilEnded(documents(), name)).toMatchObject({ status: 'Done' })
  return read<SiteBackup>((tx) => tx.get(SiteBackupDoctype, begun.name))
}

it.each(fleet.map((one, at) => [...one, at] as const))(
  'a site with %s',
  async (_name, of, at) => {
    const { proof, proof_detail: detail } = await proven(await generate(at, of))
    verdicts.push(String(proof))
    expect([proof, detail]).toEqual([
      proof === 'Inconclusive' ? proof : 'Proven',
      proof === 'Inconclusive' ? detail : [],
    ])
  },
  600_000,
)

it('proves nearly all of them', () => {
  const share = verdicts.filter((verdict) => verdict === 'Proven').length / fleet.length
  expect(share, verdicts.join(', ')).toBeGreaterThanOrEqual(0.95)
})
