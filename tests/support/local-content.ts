/** Content of a real WordPress site, to be compared after something went wrong. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineFixture } from '#server/engines/local/engine-fixture.ts'
import type { Site } from '#shared/doctypes/site.ts'

/** What WordPress writes by itself: times, caches and locks. */
const volatile = `option_name like '%transient%' or option_name in ('active_plugins', 'cron', 'recently_edited', 'recently_activated',
  'auto_updater.lock', 'fresh_site', 'theme_switched', 'sidebars_widgets', 'current_theme', 'theme_switch_menu_locations', 'can_compress_scripts')
  or option_name like 'theme_mods_%' or option_name like 'widget_%' or option_name in ('easydash_before', 'easydash_before_settings', 'recovery_keys') or option_name like '%_user_roles'`

const contentScript = `require '/wordpress/wp-load.php'; global $wpdb; $all = array();
foreach (array('posts' => "SELECT ID, post_title, post_content, post_status FROM $wpdb->posts WHERE post_type NOT IN ('revision', 'customize_changeset') ORDER BY ID",
  'meta' => "SELECT meta_id, post_id, meta_key, meta_value FROM $wpdb->postmeta WHERE meta_key NOT IN ('_pingme', '_encloseme', '_edit_lock', '_edit_last') ORDER BY meta_id",
  'comments' => "SELECT comment_ID, comment_content FROM $wpdb->comments ORDER BY comment_ID",
  'terms' => "SELECT term_id, name FROM $wpdb->terms ORDER BY term_id",
  'users' => "SELECT ID, user_login, user_email, user_pass FROM $wpdb->users ORDER BY ID") as $name => $query)
  $all[$name] = $wpdb->get_results($query, ARRAY_N);
$all['active'] = array(array(json_encode(array_values(array_filter((array) get_option('active_plugins'))))));
$all['options'] = $wpdb->get_results("SELECT option_name, option_value FROM $wpdb->options WHERE NOT (${volatile.replaceAll(/\s+/g, ' ')}) ORDER BY option_name", ARRAY_N);
echo json_encode($all, JSON_INVALID_UTF8_SUBSTITUTE);`

type Named = Pick<Site, 'name' | 'domain'>

/** Folder of a site's files. */
export const wwwOf = ({ dataDir }: Pick<EngineFixture, 'dataDir'>, { name }: Pick<Site, 'name'>): string =>
  join(dataDir, 'local', 'sites', name, 'www')

/** Adds posts, a serialized option, a comment and an upload. */
export async function addContent(fixture: EngineFixture, { name, domain }: Named): Promise<void> {
  const ref = { id: name, domain } as Parameters<EngineFixture['writeFile']>[0]
  await fixture.writeFile(
    ref,
    'content.php',
    `<?php require '/wordpress/wp-load.php';
    for ($i = 0; $i < 20; $i++) { $id = wp_insert_post(array('post_title' => "Post $i “é”", 'post_content' => str_repeat("Text $i ", 200), 'post_status' => 'publish')); add_post_meta($id, 'note', array('a' => "b$i", 'n' => null)); }
    wp_insert_comment(array('comment_post_ID' => $id, 'comment_content' => 'First!'));
    update_option('shop', array('open' => true, 'hours' => array('9–17', "O'Neil")));
    wp_upload_bits('photo.txt', null, 'bytes of a photo');`,
  )
  await fixture.fetch({ domain }, '/content.php')
  await fixture.writeFile(ref, 'content.php', `<?php ${contentScript}`)
}

/**
 * Everything a site with such content consists of, its files and its content in the database: a hash by name. The same for copies whose name is as
 * long: texts say how long they are.
 */
export async function fingerprintOf(
  fixture: EngineFixture,
  { name, domain }: Named,
): Promise<Readonly<Record<string, string>>> {
  const { status, body } = await fixture.fetch({ domain }, '/content.php')
  if (status !== 200) {
    const errors = await fixture.errors({ id: name, domain } as Parameters<EngineFixture['errors']>[0])
    throw new Error(`The content could not be read: ${status} ${body.slice(0, 500)} ${errors.slice(-3).join(' ')}`)
  }
  const content = JSON.parse(body.replaceAll(`${domain}.localhost`, 'site.localhost')) as Record<
    string,
    readonly (readonly string[])[]
  >
  const rows = Object.entries(content).flatMap(([table, all]) =>
    all.map((row): [string, string] => [`${table} ${row[0]}`, hashOf(JSON.stringify(row))]),
  )
  return { ...Object.fromEntries(rows), ...(await hashesOfFiles(wwwOf(fixture, { name }))) }
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 16)

/** Hashes of all files but the database, its log and what WordPress caches. */
export async function hashesOfFiles(www: string): Promise<Record<string, string>> {
  const entries = await readdir(www, { recursive: true, withFileTypes: true })
  const found: Record<string, string> = {}
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name)
    const shown = path.slice(www.length)
    if (!/^\/wp-content\/(?:database\/|debug\.log|upgrade)/.test(shown)) found[shown] = hashOf(await readFile(path))
  }
  return found
}
