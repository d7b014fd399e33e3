import { existsSync, rmSync } from 'node:fs'
import { certificateName, removeCertificate } from './certificates.ts'
import type { SiteRow } from './database.ts'
import { confirm, namedSite, recordEffect, type EeContext } from './ee-context.ts'
import { removeSiteFiles, servicesPath, sitePath } from './layout.ts'
import { generateProxy } from './proxy-passwords.ts'
import { removeKept } from './redis.ts'
import { dropDatabase } from './wordpress/state.ts'

/** `ee site delete`. */
export function siteDelete(context: EeContext): void {
  const site = namedSite(context, { mustBeEnabled: false })
  confirm(context, `Are you sure you want to delete ${site.site_url}?`)
  if (site['site_ssl']) context.log('Revoking certificate.')
  removeSite(context, site, { hasRow: true })
  recordEffect(context, `delete ${site.site_url}`)
}

/** Removes everything of a site, also of one that is half made. */
export function removeSite(context: EeContext, site: SiteRow, { hasRow }: { readonly hasRow: boolean }): void {
  const { database, machine } = context
  const domain = site.site_url
  if (existsSync(sitePath(machine, domain, ''))) {
    context.log(`[${domain}] Docker Containers removed.`)
    if (site['db_name'] && site['db_host'] !== 'db') dropDatabase(machine, site['db_name'])
    removeSiteFiles(machine, domain)
    context.log(`[${domain}] site root removed.`)
  } else if (site['db_name']) dropDatabase(machine, site['db_name'])
  const proxy = `${servicesPath}/nginx-proxy`
  const names = [domain, ...site.alias_domains.split(',')]
  const files = [
    ...names.flatMap((name) => [`vhost.d/${name}_location`, `conf.d/${name}.conf`, `vhost.d/${name}_acl`]),
    // Those of other names are none of its own.
    `htpasswd/${domain}`,
  ]
  for (const file of files) rmSync(machine.path(`${proxy}/${file}`), { force: true })
  generateProxy(machine)
  const kind = site['site_ssl'] ?? null
  if (kind && kind !== 'inherit') {
    context.log('Removing ssl certs and other config files.')
    removeCertificate(machine, certificateName(domain, kind))
  }
  if (site['cache_host'] === 'global-redis' && machine.isTerminal) removeKept(machine, null, [domain])
  if (hasRow) {
    database.run('DELETE FROM site_meta WHERE site_id = ?', Number(site['id']))
    for (const table of ['cron', 'auth_users', 'auth_ips', 'sites'])
      database.run(`DELETE FROM ${table} WHERE site_url = ?`, domain)
    context.log('Removed database entry.')
  }
  context.success(`Site ${domain} deleted.`)
}
