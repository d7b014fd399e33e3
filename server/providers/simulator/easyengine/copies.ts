import { cpSync, existsSync, rmSync } from 'node:fs'
import type { SQLInputValue } from 'node:sqlite'
import type { SiteRow } from './database.ts'
import { domainOf, EeError, randomPassword, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { documentRoot, makeVolumes } from './layout.ts'
import { issueCertificate } from './certificates.ts'
import { writeSiteFiles } from './site-files.ts'
import { createDatabase, readDatabase, writeConfig, writeDatabase, type WordPressState } from './wordpress/state.ts'
import { setting } from './settings.ts'

/** A name of a site on this machine; sites of other machines are not simulated. */
function localSite({ database }: EeContext, word: string): SiteRow | null {
  if (word.includes(':')) throw new EeError('Unable to connect to the remote server.')
  return database.site(domainOf(word))
}

function sourceOf(context: EeContext): SiteRow {
  const source = localSite(context, context.args[0] ?? '')
  if (!source) throw new EeError(`Site ${context.args[0]} does not exist.`)
  if (source.site_type !== 'wp') throw new EeError('Only clone of WordPress sites is supported as of now.')
  return source
}

/** Which parts a copy takes: all of them unless some are named. */
function partsOf({ options }: EeContext) {
  const isNamed = ['files', 'db', 'uploads'].some((name) => options[name] === true)
  const has = (name: string) => !isNamed || options[name] === true
  return { files: has('files'), db: has('db'), uploads: isNamed && options['uploads'] === true }
}

/** `ee site clone`: a new site like another one. */
export function siteClone(context: EeContext): void {
  const { database, machine } = context
  const source = sourceOf(context)
  const domain = domainOf(context.args[1])
  if (localSite(context, domain)) throw new EeError(`Site ${domain} already exists.`)
  const name = domain.replaceAll(/[.-]/g, '_')
  const kind = textOption(context, 'ssl') ?? (source['site_ssl'] || 'off')
  const { id: _, created_on: _created, modified_on: _modified, ...like } = source
  const row: SiteRow = {
    ...(like as SiteRow),
    site_url: domain,
    site_fs_path: `/opt/easyengine/sites/${domain}`,
    site_ssl: '',
    db_name: name,
    db_user: `${domain.slice(0, 20)}-${randomPassword(6)}`,
    db_password: randomPassword(),
    alias_domains: domain,
  }
  if (!makeVolumes(machine, domain, 'wp')) throw new EeError(`Cannot create site ${domain}.`)
  createDatabase(machine, name)
  writeSiteFiles(machine, row)
  writeConfig(machine, row, 'wp_')
  const hasCertificate = kind !== 'off' && issueCertificate(context, row, kind, false)
  const made = { ...row, site_ssl: hasCertificate ? kind : '' }
  database.insert('sites', made as Record<string, SQLInputValue>)
  transfer(context, source, made)
  recordEffect(context, `clone ${source.site_url} ${domain}`)
  context.success('Site cloned successfully')
}

/** `ee site sync`: overwrites a site; refused on a production host. */
export function siteSync(context: EeContext): void {
  const source = sourceOf(context)
  const destination = localSite(context, context.args[1] ?? '')
  if (!destination) throw new EeError(`Site ${context.args[1]} does not exist.`)
  if (setting(context, 'env') === 'production') throw new EeError('Sync into a production server is not allowed.')
  transfer(context, source, destination)
  recordEffect(context, `sync ${source.site_url} ${destination.site_url}`)
  context.success('Site synced successfully')
}

function transfer(context: EeContext, source: SiteRow, destination: SiteRow): void {
  const { machine } = context
  const parts = partsOf(context)
  const [from, to] = [documentRoot(machine, source), documentRoot(machine, destination)]
  if (parts.files) {
    context.log('Syncing files')
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  } else if (parts.uploads && existsSync(`${from}/wp-content/uploads`))
    cpSync(`${from}/wp-content/uploads`, `${to}/wp-content/uploads`, { recursive: true })
  const state = readDatabase(machine, source['db_name'] ?? '')
  if (!parts.db || state === null) return
  context.log('Syncing database')
  writeDatabase(machine, destination['db_name'] ?? '', forDomain(state, source.site_url, destination))
}

/** The database of another domain: addresses are replaced, sessions end. */
function forDomain(state: WordPressState, from: string, destination: SiteRow): WordPressState {
  const replaced = JSON.parse(JSON.stringify(state).replaceAll(from, destination.site_url)) as WordPressState
  const scheme = destination['site_ssl'] ? 'https' : 'http'
  for (const name of ['siteurl', 'home']) replaced.options[name] = `${scheme}://${destination.site_url}`
  for (const user of replaced.users) delete user.sessions
  return replaced
}
