import { existsSync } from 'node:fs'
import type { SQLInputValue } from 'node:sqlite'
import { ensureAdminToolsUser } from './auth.ts'
import { issueCertificate } from './certificates.ts'
import { compareVersions } from '#shared/rules/wordpress-versions.ts'
import type { SiteRow } from './database.ts'
import { confirm, domainOf, EeError, randomPassword, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { makeVolumes, sitePath } from './layout.ts'
import { generateProxy } from './proxy-passwords.ts'
import { setting } from './settings.ts'
import { removeSite } from './site-delete.ts'
import { writeSiteFiles } from './site-files.ts'
import { siteInfoTable } from './site-info.ts'
import { writeProxyCache } from './proxy-cache.ts'
import { defaultTheme, wordpressVersions, writeCore } from './wordpress/core-files.ts'
import { createDatabase, freshWordPress, hasDatabase, writeConfig, writeDatabase } from './wordpress/state.ts'

/** `ee site create`: html without `--type`, or as the old flag `--php` has it. */
export async function siteCreate(context: EeContext): Promise<void> {
  const { database, machine } = context
  const site = plannedSite(context)
  const domain = site.site_url
  ensureAdminToolsUser(context)
  context.log('Starting site creation.')
  // Whether the template can be read is not looked at.
  if (context.options['vip'] !== undefined && context.options['vip'] !== false && !existsSync(machine.path('/bin/git')))
    throw new EeError('git command not found. Please install git to setup vip github repo.')
  refuseTaken(context, site)
  const abandon = () => {
    context.warning('Exiting gracefully after rolling back. This may take some time.')
    removeSite(context, site, { hasRow: false })
    context.success('Rollback complete. Exiting now.')
    process.exit(1)
  }
  const signals = ['SIGHUP', 'SIGTERM', 'SIGINT'] as const
  for (const signal of signals) process.once(signal, abandon)
  try {
    await build(context, site)
  } catch (error) {
    if (!(error instanceof EeError)) throw error
    context.warning(error.message)
    context.warning('Initiating clean-up.')
    removeSite(context, site, { hasRow: database.site(domain) !== null })
    throw new EeError('')
  } finally {
    for (const signal of signals) process.off(signal, abandon)
  }
  machine.out(siteInfoTable(database.site(domain) ?? site))
}

/** The row as it will be, except what creating it decides. */
function plannedSite(context: EeContext): SiteRow {
  const { options } = context
  const name = domainOf(context.args[0])
  const domain = name.includes('.') ? name : `${name}.test`
  const type = textOption(context, 'type') ?? (options['php'] === undefined ? 'html' : 'php')
  const multisite = textOption(context, 'mu')
  const isWordPress = type === 'wp'
  const hasDatabaseOf = isWordPress || options['with-db'] === true
  const isCached = options['cache'] === true || textOption(context, 'proxy-cache') === 'on'
  const remote = textOption(context, 'dbhost')
  const host = options['local-db'] === true ? 'db' : (remote ?? 'global-db')
  const [remoteHost = '', port = '3306'] = host.split(':')
  const own = multisite === 'subdom' ? [domain, `*.${domain}`] : [domain]
  const aliases =
    textOption(context, 'alias-domains')
      ?.split(',')
      .map((one) => one.trim()) ?? []
  const flag = (isOn: boolean) => (isOn ? '1' : '0')
  return {
    site_url: domain,
    site_type: type,
    site_fs_path: `/opt/easyengine/sites/${domain}`,
    site_container_fs_path: ['/var/www/htdocs', textOption(context, 'public-dir')].filter(Boolean).join('/'),
    site_enabled: '1',
    site_ssl: '',
    site_ssl_wildcard: flag(multisite === 'subdom' || options['wildcard'] === true),
    cache_nginx_browser: flag(isCached),
    cache_nginx_fullpage: flag(isCached),
    cache_mysql_query: flag(isCached),
    cache_app_object: flag(isCached),
    cache_host: isCached ? (options['with-local-redis'] === true ? 'redis' : 'global-redis') : '',
    proxy_cache: textOption(context, 'proxy-cache') ?? 'off',
    // Without --type the version of --php is lost, and the default is taken.
    php_version: type === 'html' ? null : textOption(context, 'type') === null ? '8.4' : textOption(context, 'php'),
    db_name: hasDatabaseOf ? (textOption(context, 'dbname') ?? domain.replaceAll(/[.-]/g, '_')) : '',
    db_user: hasDatabaseOf ? (textOption(context, 'dbuser') ?? `${domain.slice(0, 53)}-${randomPassword(6)}`) : '',
    db_password: hasDatabaseOf ? (textOption(context, 'dbpass') ?? randomPassword()) : '',
    db_root_password: hasDatabaseOf && host === 'db' ? randomPassword() : '',
    db_host: hasDatabaseOf ? remoteHost : '',
    db_port: hasDatabaseOf ? port : '',
    app_sub_type: isWordPress ? (multisite ?? 'wp') : type === 'php' && hasDatabaseOf ? 'mysql' : type,
    app_admin_url: isWordPress ? (textOption(context, 'title') ?? domain) : null,
    app_admin_email: textOption(context, 'admin-email') ?? setting(context, 'wp-mail') ?? `admin@${domain}`,
    app_admin_username: isWordPress ? (textOption(context, 'admin-user') ?? `wp-user-${randomPassword(4)}`) : null,
    app_admin_password: isWordPress ? (textOption(context, 'admin-pass') ?? randomPassword()) : null,
    app_mail: 'postfix',
    alias_domains: [...own, ...aliases].join(','),
  }
}

function refuseTaken(context: EeContext, site: SiteRow): void {
  const { database, machine, options } = context
  const domain = site.site_url
  const again = `If you want to re-create it please delete the older one using:\n\`ee site delete ${domain}\``
  if (database.site(domain)) throw new EeError(`Site ${domain} already exists. ${again}`)
  for (const other of database.sites()) {
    const taken = site.alias_domains.split(',').find((one) => other.alias_domains.split(',').includes(one))
    if (taken !== undefined)
      throw new EeError(`Site ${taken} already exists as an alias domain for site: ${other.site_url}.`)
  }
  const password = textOption(context, 'admin-pass')
  if (password !== null && options['allow-insecure-pass'] !== true && !/^(?=.*\d)(?=.*[a-zA-Z]).{8,}$/s.test(password))
    throw new EeError('Issues found in input password')
  if (site['db_host'] !== 'global-db' && site['db_host'] !== 'db' && textOption(context, 'dbhost') !== null)
    if (textOption(context, 'dbuser') === null || textOption(context, 'dbpass') === null)
      throw new EeError('`--dbuser` and `--dbpass` are required for remote db host.')
  if (existsSync(sitePath(machine, domain, '')))
    throw new EeError(`Webroot directory for site ${domain} already exists.`)
}

async function build(context: EeContext, site: SiteRow): Promise<void> {
  const { database, machine, options } = context
  const domain = site.site_url
  const isWordPress = site.site_type === 'wp'
  const databaseName = site['db_name']
  if (databaseName) {
    // [inf] The clean-up that follows drops the database of this name, whoever has it.
    if (hasDatabase(machine, databaseName))
      throw new EeError(`Could not create user ${site['db_user']}. Please check logs.`)
    createDatabase(machine, databaseName, site['db_user'] ?? undefined)
  }
  context.log('Configuring project.')
  context.log(`Creating ${{ wp: 'WordPress', php: 'PHP' }[site.site_type] ?? 'HTML'} site ${domain}`)
  context.log('Copying configuration files.')
  const isOwn = makeVolumes(machine, domain, site.site_type)
  if (!isOwn) throw new EeError('There was some error in docker-compose up.')
  writeSiteFiles(machine, site)
  context.log("Starting site's services.")
  await nextTurn()
  if (isWordPress) {
    context.log('Downloading and configuring WordPress.')
    if (machine.trap('disk_full') !== null) throw new EeError('Unable to download wp core. No space left on device')
    const version = textOption(context, 'version')
    const number = version !== null && /^\d/.test(version) ? version : null
    // What cannot be downloaded ends the creation with the configuration, which needs the files.
    if (number !== null && compareVersions(number, wordpressVersions.newest) > 0) {
      for (let left = 5; left > 0; left -= 1) context.log('Unable to download wp core. Retrying...')
      machine.err('Error: Unable to download wp core.\n')
      throw new EeError('There was issue in `wp config create`. Please check logs.')
    }
    writeCore(machine, site, {
      version: number,
      locale: setting(context, 'locale'),
      withContent: options['skip-content'] !== true,
    })
    writeConfig(machine, site, textOption(context, 'dbprefix') ?? 'wp_')
    if (options['vip'] !== undefined && options['vip'] !== false) confirmVip(context)
  }
  if (options['skip-status-check'] !== true) {
    context.log('Checking and verifying site-up status. This may take some time.')
    const slow = machine.trap('slow_create')
    if (slow !== null) await pause(Number(slow || 5) * 1000)
    machine.out('\n')
    if (machine.trap('create_fails') !== null) throw new EeError('Problem connecting to site!')
  }
  await nextTurn()
  const kind = options['ssl'] === true ? 'le' : textOption(context, 'ssl')
  if (isWordPress && options['skip-install'] !== true) {
    context.log('Installing WordPress site.')
    writeDatabase(machine, databaseName ?? '', freshWordPress(site, defaultTheme(machine, site)))
    context.success(`http://${domain} has been created successfully!`)
  }
  const hasCertificate = kind !== null && issueCertificate(context, site, kind, site['site_ssl_wildcard'] === '1')
  // [inf] A site with `self` is stored as wildcard, and stays so.
  const row = { ...site, site_ssl: hasCertificate ? kind : '', ...(kind === 'self' && { site_ssl_wildcard: '1' }) }
  if (hasCertificate && isWordPress && options['skip-install'] !== true)
    writeDatabase(machine, databaseName ?? '', freshWordPress(row, defaultTheme(machine, row)))
  if (site['proxy_cache'] === 'on') writeProxyCache(context, row)
  database.insert('sites', row as Record<string, SQLInputValue>)
  const repository =
    options['vip'] === true ? 'https://github.com/Automattic/vip-go-skeleton.git' : textOption(context, 'vip')
  if (repository !== null) addMeta(context, domain, { is_vip: '1', vip_repo_url: repository })
  context.log('Site entry created.')
  if (isWordPress) addCron(context, domain)
  const environment = setting(context, 'env')
  if (environment !== null && environment !== 'production' && site.site_type !== 'html') {
    context.log(`Enabling mailhog as this is a ${environment} server.`)
    database.updateSite(domain, { mailhog_enabled: 1 })
  }
  generateProxy(context.machine)
  recordEffect(context, `create ${domain}`)
}

function confirmVip(context: EeContext): void {
  context.log('Setting up VIP Go environment. This may take time based on your repo size, please wait for a while...')
  confirm(context, 'Move mu-plugins to client-mu-plugins?')
  context.log('VIP Go environment setup completed.')
}

function addMeta({ database }: EeContext, domain: string, values: Readonly<Record<string, string>>): void {
  const id = Number(database.site(domain)?.['id'])
  for (const [key, value] of Object.entries(values))
    database.insert('site_meta', { site_id: id, meta_key: key, meta_value: value })
}

function addCron({ database, log }: EeContext, domain: string): void {
  log('Creating cron entry')
  const minute = Math.floor(Math.random() * 10)
  const command = "sh -c 'wp cron event run --due-now'"
  const schedule = `0 ${minute}/10 * * * *`
  database.insert('cron', { site_url: domain, user: 'www-data', command, schedule })
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
