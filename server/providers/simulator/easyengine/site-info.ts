import { formatItems, drawTable } from './format.ts'
import { misbehaves } from './sqlite3.ts'
import { EeError, namedSite, textOption, type EeContext } from './ee-context.ts'
import type { SiteRow } from './database.ts'

/** `ee site list`. */
export function siteList({ database, machine, options }: EeContext): void {
  const isEnabledOnly = options['enabled'] === true && options['disabled'] !== true
  const isDisabledOnly = options['disabled'] === true && options['enabled'] !== true
  const sites = database
    .sites()
    .filter(({ site_enabled: is }) => (!isEnabledOnly || is === '1') && (!isDisabledOnly || is !== '1'))
  if (sites.length === 0) throw new EeError('No sites found!')
  const format = options['format']
  if (format === 'json' && misbehaves(machine)) return
  if (format === 'text') return machine.out(sites.map(({ site_url: domain }) => `${domain}\n`).join(''))
  const items = sites.map(({ site_url: site, site_enabled: is }) => ({
    site,
    status: is === '1' ? 'enabled' : 'disabled',
  }))
  machine.out(formatItems(items, ['site', 'status'], String(format)))
}

/** `ee site info`. */
export function siteInfo(context: EeContext): void {
  const { database, machine } = context
  const named = namedSite(context, { mustBeEnabled: false })
  const other = database.sites().find(({ site_url: domain }) => domain !== named.site_url)
  const site = machine.trap('other_site') === null ? named : (other ?? { ...named, site_url: 'other.example' })
  if (textOption(context, 'format') !== 'json') return machine.out(siteInfoTable(site))
  if (!misbehaves(machine)) machine.out(`${JSON.stringify(site)}\n`)
}

/** The table that ends a create, with credentials. */
export function siteInfoTable(site: SiteRow): string {
  const scheme = site['site_ssl'] ? 'https://' : 'http://'
  const aliases = site.alias_domains.split(',').filter((one) => one !== site.site_url)
  const rows: [string, string | null | undefined][] = [
    ['Site', scheme + site.site_url],
    ...(site['admin_tools'] === '1'
      ? [['Access admin-tools', `${scheme}${site.site_url}/ee-admin/`] satisfies [string, string]]
      : []),
    ['Site Root', site.site_fs_path],
    ['Site Title', site['app_admin_url']],
    ['WordPress Username', site['app_admin_username']],
    ['WordPress Password', site['app_admin_password']],
    ['Alias Domains', aliases.join(',') || 'None'],
    ['DB Host', site['db_host']],
    ['DB Root Password', site['db_root_password']],
    ['DB Name', site['db_name']],
    ['DB User', site['db_user']],
    ['DB Password', site['db_password']],
    ['E-Mail', site['app_admin_email']],
    ['SSL', site['site_ssl'] ? 'Enabled' : 'Not Enabled'],
    ...(site['site_ssl']
      ? [['SSL Wildcard', site['site_ssl_wildcard'] === '1' ? 'Yes' : 'No'] satisfies [string, string]]
      : []),
    ['Cache', site['cache_nginx_fullpage'] === '1' ? 'Enabled' : 'None'],
    ['Proxy Cache', site['proxy_cache'] === 'on' ? 'Enabled' : 'Off'],
  ]
  return drawTable(rows.flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
