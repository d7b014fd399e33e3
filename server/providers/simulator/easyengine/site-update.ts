import { cpSync } from 'node:fs'
import { issueCertificate, needsCertificate, removeCertificate } from './certificates.ts'
import type { SiteRow } from './database.ts'
import { EeError, namedSite, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { sitePath } from './layout.ts'
import { note, put } from './machine.ts'
import { replacePhpConfig, writeOwnFiles } from './site-files.ts'
import { generateProxy } from './proxy-passwords.ts'
import { removeProxyCache, writeProxyCache } from './proxy-cache.ts'
import { readDatabase, writeDatabase } from './wordpress/state.ts'

/** `ee site update`: one kind of change a call. */
export function siteUpdate(context: EeContext): void {
  const { options, machine } = context
  const site = namedSite(context, { mustBeEnabled: true })
  const aliases = options['add-alias-domains'] ?? options['delete-alias-domains']
  const kinds = [options['ssl'], options['php'], options['proxy-cache'], aliases].filter((one) => one !== undefined)
  if (kinds.length > 1) {
    // [inf] After the first the object is an array, and the second fails.
    note(machine.root, 'violations.log', 'ee site update: more than one kind of change in a call')
  }
  if (options['ssl'] !== undefined) updateSsl(context, site)
  else if (options['php'] !== undefined) updatePhp(context, site)
  else if (options['proxy-cache'] !== undefined) updateProxyCache(context, site)
  else if (aliases !== undefined) updateAliases(context, site)
  if (kinds.length > 1) throw new EeError('Uncaught Error: Attempt to assign property on array')
}

function updatePhp(context: EeContext, site: SiteRow): void {
  const { database, machine } = context
  const domain = site.site_url
  const version = textOption(context, 'php') ?? ''
  if (site['php_version'] === version) throw new EeError(`Site ${domain} is already at PHP version: ${version}`)
  context.log(`Starting php version update for: ${domain}`)
  context.log('Taking backup of old php config.')
  const config = sitePath(machine, domain, 'config/php')
  const before = sitePath(machine, domain, `.backup/config/php-${site['php_version']}`)
  cpSync(`${config}/`, before, { recursive: true, dereference: true })
  writeOwnFiles(machine, site)
  context.log(`Starting site with new PHP version: ${version}. This may take sometime.`)
  context.log('Updating php config.')
  context.log('Re-applying previous custom.ini and easyengine.conf changes.')
  replacePhpConfig(machine, domain, version, before)
  database.updateSite(domain, { php_version: version })
  recordEffect(context, `php ${domain} ${version}`)
  context.success(`Updated site ${domain} to PHP version: ${version}`)
}

function updateSsl(context: EeContext, site: SiteRow): void {
  const { database, machine, options } = context
  const domain = site.site_url
  const kind = options['ssl'] === true ? 'le' : (textOption(context, 'ssl') ?? '')
  const isWildcard = options['wildcard'] === true
  const isOff = kind === 'off'
  const hadWildcard = site['site_ssl_wildcard'] === '1'
  if (isOff && isWildcard) throw new EeError('You cannot use --wildcard flag with --ssl=off')
  if (!hadWildcard && isWildcard && site['site_ssl'])
    throw new EeError('Update from normal SSL to wildcard SSL is not supported yet.')
  if (hadWildcard && !isWildcard) throw new EeError('Update from wildcard SSL to normal SSL is not supported yet.')
  if (!isOff && site['site_ssl']) throw new EeError(`SSL is already enabled on ${domain}`)
  if (isOff && !site['site_ssl']) throw new EeError(`SSL is already disabled on ${domain}`)
  context.log(`Starting SSL update for: ${domain}`)
  // Files stay when it is turned off, and nothing is issued while there is a good one, whoever made it.
  if (!isOff && needsCertificate(machine, domain)) issueCertificate(context, site, kind, isWildcard)
  // [inf] The row says so even if there is no certificate. "Off" is a boolean, which the column has as a number.
  database.updateSite(domain, { site_ssl: isOff ? '0' : kind, site_ssl_wildcard: isWildcard ? 1 : 0 })
  replaceScheme(context, site, isOff ? 'http' : 'https')
  recordEffect(context, `ssl ${domain} ${kind}`)
  context.success(`${isOff ? 'Disabled' : 'Enabled'} SSL for ${domain}`)
}

/** Addresses in WordPress' database follow, after a dump of it. */
function replaceScheme(context: EeContext, site: SiteRow, scheme: 'http' | 'https'): void {
  const { machine } = context
  const state = site['db_name'] ? readDatabase(machine, site['db_name']) : null
  if (state === null) return
  context.log('Running search-replace.')
  context.log('Taking database backup before search-replace.')
  put(machine.path(`/opt/easyengine/.backup/${site.site_url}/${site.site_url}.db`), JSON.stringify(state))
  for (const name of ['siteurl', 'home']) state.options[name] = (state.options[name] ?? '').replace(/^https?/, scheme)
  writeDatabase(machine, site['db_name'] ?? '', state)
  context.success('Successfully completed search-replace.')
}

function updateProxyCache(context: EeContext, site: SiteRow): void {
  const domain = site.site_url
  const wanted = textOption(context, 'proxy-cache') ?? 'off'
  if (site['proxy_cache'] === wanted) throw new EeError(`Site ${domain} already has proxy cache: ${wanted}`)
  context.log(`${wanted === 'on' ? 'Enabling' : 'Disabling'} proxy cache for: ${domain}`)
  if (wanted === 'on') writeProxyCache(context, site)
  else removeProxyCache(context, domain)
  context.database.updateSite(domain, { proxy_cache: wanted })
  recordEffect(context, `proxy-cache ${domain} ${wanted}`)
  context.success(`Proxy cache update on site ${domain} completed.`)
}

function updateAliases(context: EeContext, site: SiteRow): void {
  const { database, machine } = context
  const domain = site.site_url
  const listed = (name: string) =>
    textOption(context, name)
      ?.split(',')
      .map((one) => one.trim()) ?? []
  const present = site.alias_domains.split(',')
  const added = listed('add-alias-domains').filter((one) => !present.includes(one))
  const removed = listed('delete-alias-domains')
  if (removed.includes(domain)) throw new EeError(`Primary site domain: \`${domain}\` can not be deleted.`)
  if (removed.some((one) => !present.includes(one)))
    throw new EeError('Domains to delete is/are not a subset of already existing alias domains.')
  if (listed('add-alias-domains').length > 0 && added.length === 0)
    throw new EeError(`Alias domains: ${listed('add-alias-domains').join()} is/are already present on the site.`)
  for (const alias of added) {
    const other = database.sites().find((one) => one.alias_domains.split(',').includes(alias))
    if (other?.site_url === alias) throw new EeError(`${alias} already exists as a site.`)
    if (other) throw new EeError(`Site ${alias} already exists as an alias domain for site: ${other.site_url}.`)
  }
  const aliases = [...present, ...added].filter((one) => !removed.includes(one)).join(',')
  const compose = sitePath(machine, domain, 'docker-compose.yml')
  put(compose, `# ${aliases}\n`)
  const kind = site['site_ssl']
  if (kind) {
    context.log('Updating and force renewing SSL certificate to accomodated alias domain changes.')
    // [inf] The compose file is already changed then, the row is not.
    if (kind !== 'le') throw new EeError('Only Letsencrypt certificate renewal is supported.')
    // A refusal is a warning here, too: the one before is revoked, the alias stays, and the row says that there is none.
    if (!issueCertificate(context, { ...site, alias_domains: aliases }, 'le', site['site_ssl_wildcard'] === '1')) {
      removeCertificate(machine, domain)
      database.updateSite(domain, { site_ssl: null })
    }
  }
  database.updateSite(domain, { alias_domains: aliases })
  writeOwnFiles(machine, { ...site, alias_domains: aliases })
  generateProxy(machine)
  recordEffect(context, `aliases ${domain} ${aliases}`)
  context.success(`Alias domains updated on site ${domain}.`)
}
