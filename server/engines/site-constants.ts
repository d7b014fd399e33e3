/** Constants that somebody added to the `wp-config.php` of a site. */
import { isObject } from '#shared/parse-json.ts'

/** Their values by name. */
export type SiteConstants = Readonly<Record<string, string | number | boolean | null>>

/** Their number, and the characters of a text: more is no configuration. */
export const maxConstants = 200
export const maxConstantLength = 2_000

/**
 * What belongs to the machine or the address of a site, or is in what else an archive says. Caches of pages and what maps domains run before WordPress, and
 * name folders and hosts of theirs: elsewhere they would be why a good backup fails its proof.
 */
const ofMachine =
  /^(?:ABSPATH|(?:DB|FTP|WP_PROXY|WP_REDIS|WP_SQLITE)_\w*|DATABASE_TYPE|FS_METHOD|(?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)|WP_CACHE_KEY_SALT|WP_HOME|WP_SITEURL|RELOCATE|WP_(?:CONTENT|PLUGIN)_(?:DIR|URL)|WPMU_PLUGIN_(?:DIR|URL)|PLUGINDIR|MUPLUGINDIR|WP_TEMP_DIR|WP_LANG_DIR|WP_CACHE|WPCACHEHOME|SUNRISE|RT_WP_NGINX_HELPER_CACHE_PATH|WP_DEBUG(?:_LOG|_DISPLAY)?|WP_ENVIRONMENT_TYPE|(?:DISABLE|ALTERNATE)_WP_CRON|WP_ALLOW_REPAIR|(?:WP_ALLOW_)?MULTISITE|SUBDOMAIN_INSTALL|(?:DOMAIN|PATH|SITE_ID|BLOG_ID)_CURRENT_SITE|(?:ADMIN_|SITE|PLUGINS_)?COOKIE_?PATH|COOKIE_DOMAIN|COOKIEHASH|FORCE_SSL_(?:ADMIN|LOGIN))$/i

const isValue = (value: unknown): value is SiteConstants[string] =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value.length <= maxConstantLength)

/** Those that the script `links` found which go with the site, wherever it is restored. */
export function constantsIn(links: Readonly<Record<string, unknown>> | null): SiteConstants {
  const found = links?.['constants']
  if (!isObject(found)) return {}
  return Object.fromEntries(
    Object.entries(found)
      .filter((one): one is [string, SiteConstants[string]] => isOfSite(one[0]) && isValue(one[1]))
      .slice(0, maxConstants),
  )
}

const isOfSite = (name: string): boolean => /^[A-Z_]\w{0,99}$/i.test(name) && !ofMachine.test(name)

/** Each with its value as PHP writes it; what a manifest should not have is left out. */
export const literals = (constants: SiteConstants): [name: string, value: string][] =>
  Object.entries(constants)
    .filter(([name]) => isOfSite(name))
    .map(([name, value]) => [name, literal(value)])

/** As a part of `wp-config.php`: what is there before, or defined by the machine, stays. */
export function constantDefines(constants: SiteConstants): string {
  const lines = literals(constants).map(([name, value]) => `defined( '${name}' ) || define( '${name}', ${value} );`)
  return lines.length === 0
    ? ''
    : `/* Constants that were added to the configuration of the site. */\n${lines.join('\n')}\n\n`
}

/** A value in PHP. In single quotes, only the quote and the backslash have a meaning. */
const literal = (value: SiteConstants[string]): string =>
  typeof value === 'string' ? `'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'` : String(value)
