import { createHash } from 'node:crypto'
import { readdirSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteRow } from './database.ts'
import { documentRoot } from './layout.ts'
import { put, readIfThere, type Machine } from './machine.ts'
import type { Page } from './wordpress/pages.ts'

type Root = Pick<Machine, 'path'>

/** What a Redis keeps, as a file each: that of all sites, or the own one of a site. */
const folderOf = (machine: Root, site: SiteRow | null): string =>
  machine.path(`/var/lib/simulated/redis/${site?.['cache_host'] === 'redis' ? site.site_url : 'global'}`)

/** A request as nginx looks at it to find a page. */
interface Asked {
  readonly method: string
  readonly isSecure: boolean
  readonly host: string
  /** Path and query. */
  readonly uri: string
  readonly cookie: string
}

// Source: EasyEngine/site-type-wp, templates/config/nginx/main.conf.mustache.
const neverKept = /\/ee-admin\/|\/wp-admin\/|\/xmlrpc.php|wp-.*.php|index.php|\/feed\/|sitemap(?:_index)?.xml/i
const neverFor = /comment_author|wordpress_[a-f0-9]+|wp-postpass|wordpress_no_cache|wordpress_logged_in/i

/**
 * The page of a WordPress that was created with a cache: as Redis keeps it, or as it is made now, which is then kept. A page stays for four
 * hours, whatever becomes of the site.
 */
export function keptPage(
  machine: Root,
  site: SiteRow,
  { method, isSecure, host, uri, cookie }: Asked,
  make: () => Page,
): Page {
  if (site['cache_nginx_fullpage'] !== '1' || method !== 'GET' || uri.includes('?')) return make()
  if (neverKept.test(uri) || neverFor.test(cookie)) return make()
  const key = `${site.site_url}_page:${isSecure ? 'https' : 'http'}${method}${host}${uri}`
  const file = join(folderOf(machine, site), createHash('sha256').update(key).digest('hex'))
  const kept = readIfThere(file)
  if (kept !== null) return (JSON.parse(kept) as { page: Page }).page
  const made = make()
  if (made.status === 200 && typeof made.body === 'string') put(file, JSON.stringify({ key, page: made }))
  return made
}

/** `redis-cli` with a script that removes keys by the beginnings of their names; null for anything else. Returns what it prints. */
export function redisCli(machine: Root, site: SiteRow | null, args: readonly string[]): string | null {
  const [command, script = '', keys, ...names] = args
  const isPurge =
    command === 'eval' && keys === '0' && script.includes("redis.call('keys'") && script.includes('unlink')
  if (!isPurge || names.some((name) => !/^[^*?[\\]+\*$/.test(name))) return null
  const begin = names.map((name) => name.slice(0, -1))
  return `${removeKept(machine, site, begin)}\n`
}

/** Removes what the Redis of all sites (null), or that of a site, keeps under names that begin so; returns how much that was. */
export function removeKept(machine: Root, site: SiteRow | null, begin: readonly string[]): number {
  const folder = folderOf(machine, site)
  const files = (existsSync(folder) ? readdirSync(folder) : []).map((name) => join(folder, name))
  const keyIn = (file: string) => (JSON.parse(readIfThere(file) ?? '{"key":""}') as { key: string }).key
  const meant = files.filter((file) => begin.some((one) => keyIn(file).startsWith(one)))
  for (const file of meant) rmSync(file, { force: true })
  return meant.length
}

/** WordPress empties its cache: the plugin that EasyEngine installs, where it is in place, empties all of a Redis. */
export function flushObjects(machine: Root, site: SiteRow): void {
  if (existsSync(join(documentRoot(machine, site), 'wp-content/object-cache.php'))) removeKept(machine, site, [''])
}
