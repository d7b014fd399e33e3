import { randomBytes } from 'node:crypto'
import type { MultisiteKind } from '#shared/rules/multisite.ts'
import { constantDefines, type SiteConstants } from './site-constants.ts'

/** A network of sites, as its configuration says it. */
interface HostNetwork {
  readonly host: string
  readonly kind: MultisiteKind
}

/** The constants of a network, for wp-config.php. */
export const networkConstants = ({ host, kind }: HostNetwork): string => `define( 'WP_ALLOW_MULTISITE', true );
define( 'MULTISITE', true );
define( 'SUBDOMAIN_INSTALL', ${kind === 'subdom'} );
define( 'DOMAIN_CURRENT_SITE', '${host}' );
define( 'PATH_CURRENT_SITE', '/' );
define( 'SITE_ID_CURRENT_SITE', 1 );
define( 'BLOG_ID_CURRENT_SITE', 1 );

`

const unknownLogin = {
  name: 'database_name_here',
  user: 'username_here',
  password: 'password_here',
  host: 'localhost',
}

const saltNames = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [`${name}_KEY`, `${name}_SALT`])

/** New secret keys of a WordPress by name. */
export function newSalts(): Record<string, string> {
  return Object.fromEntries(saltNames.map((name) => [name, randomBytes(48).toString('base64url')]))
}

/** A configuration as a host gets it. */
interface HostConfig {
  readonly prefix: string
  /** Null: a single site. */
  readonly network: HostNetwork | null
  readonly constants: SiteConstants
  /** Database and secret keys, where they are known. */
  readonly known?: { readonly login: typeof unknownLogin; readonly salts: Readonly<Record<string, string>> }
}

/** The configuration of an exported WordPress: a host fills in its database, and new keys. */
export function configForHosts({ prefix, network, constants, known }: HostConfig): string {
  const { login = unknownLogin, salts = {} } = known ?? {}
  return `<?php
/* The database of your host. */
define( 'DB_NAME', '${login.name}' );
define( 'DB_USER', '${login.user}' );
define( 'DB_PASSWORD', '${login.password}' );
define( 'DB_HOST', '${login.host}' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

/* Get new ones from https://api.wordpress.org/secret-key/1.1/salt/ */
${saltNames.map((name) => `define( '${name}', '${salts[name] ?? 'put your unique phrase here'}' );`).join('\n')}

$table_prefix = '${prefix}';

define( 'WP_DEBUG', false );

${network === null ? '' : `/* A network of sites ${inWords[network.kind]}. Put the name of the new host here. */\n${networkConstants(network)}`}${constantDefines(constants)}if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}

require_once ABSPATH . 'wp-settings.php';
`
}

const inWords: Readonly<Record<MultisiteKind, string>> = { subdir: 'in sub-directories', subdom: 'with subdomains' }

/** What a network needs besides. */
const networkStep = (url: string, kind: MultisiteKind): string => `
5. The site is a network (multisite) ${inWords[kind]}. Put the new host into DOMAIN_CURRENT_SITE in files/wp-config.php, replace
   '${new URL(url).host}' by it in the tables "site" and "blogs", and give your web server WordPress' rules for such networks.
`

/** What to do with an export: of a WordPress, of a site with a database of its own, or of one without. */
export function readmeOf(kind: 'wp' | 'database' | 'files', url: string, network: MultisiteKind | null): string {
  const begin = `This archive is a website exported by Easydash. Its address was ${url}

`
  const end = `
manifest.json says what the archive contains.${network !== null ? '' : ' Easydash imports the archive as it is: Sites, Import.'}
`
  const plain = `${begin}The folder "files" has what the web server served. Copy its content to the folder of your host.\n`
  if (kind === 'files') return `${plain}${end}`
  if (kind === 'database')
    return `${plain}
Create a database, and import database.sql into it, for example with phpMyAdmin. Give the code of the site the name, user and password of
that database. The file can have data of visitors: keep it private.
${end}`
  return `${begin}To move it to a host with MySQL or MariaDB:

1. Copy the content of the folder "files" to the folder that your host serves.
2. Create a database there, and import database.sql into it, for example with phpMyAdmin or
   mysql --default-character-set=utf8mb4 NAME < database.sql
   The file has MySQL's statements for the whole database, with the users and their hashed passwords: keep it private.
3. Put name, user and password of the database and new keys into files/wp-config.php. The keys of the exported site are not in
   this archive, so everyone has to log in again.
4. Replace the old address by the new one in the database, for example with WP-CLI:
   wp search-replace '${url}' 'https://www.example.com' --all-tables --precise
${network === null ? '' : networkStep(url, network)}
Left out are caches, logs, and what connected WordPress to its SQLite database.
${end}`
}
