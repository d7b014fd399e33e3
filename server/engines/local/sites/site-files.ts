import { chmod, chown, lchown, mkdir } from 'node:fs/promises'
import { networkConstants, newSalts } from '../../host-files.ts'
import { constantDefines, type SiteConstants } from '../../site-constants.ts'
import type { SiteLogin } from '../mysql/site-statements.ts'
import { databaseHost } from '../outbound/policy.ts'
import type { SitePaths } from './site-store.ts'

/**
 * The configuration of a new WordPress, with new keys. Its URL is provided at each start instead.
 * @param options.prefix of its tables: letters, digits and underscores
 * @param options.login for MySQL; null: the database is SQLite
 * @param options.network host of a network; null for a single site
 * @param options.constants those that the site had before, of a backup or export
 */
export function wpConfig({
  prefix = 'wp_',
  login = null,
  network = null,
  constants = {},
}: {
  readonly prefix?: string | undefined
  readonly login?: SiteLogin | null
  readonly network?: string | null
  readonly constants?: SiteConstants | undefined
} = {}): string {
  const salts = Object.entries(newSalts())
    .map(([name, value]) => `define( '${name}', '${value}' );`)
    .join('\n')
  return `<?php
${databaseDefines(login)}
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

${salts}

$table_prefix = '${prefix}';

if ( ! defined( 'WP_DEBUG' ) ) {
	define( 'WP_DEBUG', false );
}

${network === null ? '' : `/* A network of sites in sub-directories. */\n${networkConstants({ host: network, kind: 'subdir' })}`}${constantDefines(constants)}if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}

require_once ABSPATH . 'wp-settings.php';
`
}

function databaseDefines(login: SiteLogin | null): string {
  const { database, user, password } = login ?? { database: 'wordpress', user: '', password: '' }
  const host = login === null ? 'localhost' : databaseHost
  return `/* ${login === null ? 'The database is SQLite: these four are unused but must exist.' : 'The database of this site.'} */
define( 'DB_NAME', '${database}' );
define( 'DB_USER', '${user}' );
define( 'DB_PASSWORD', '${password}' );
define( 'DB_HOST', '${host}' );`
}

/**
 * Creates the folders next to `www` that PHP may write to, and restricts the site's folder to us and the site: its files
 * have whatever modes PHP gave them. Only we may write into the folder itself, so we created all of its entries.
 */
export async function ensureWorkFolders(paths: SitePaths, owner: number | null): Promise<void> {
  if (owner !== null) await chown(paths.folder, process.getuid?.() ?? 0, owner)
  await chmod(paths.folder, owner === null ? 0o700 : 0o710)
  for (const folder of [paths.logs, paths.outbox, paths.temporary]) {
    await mkdir(folder, { recursive: true })
    if (owner !== null) await lchown(folder, owner, owner)
  }
}
