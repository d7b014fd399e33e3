import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backupArea, idsIn, remoteOf, takeLock, tar } from './backups.ts'
import type { SiteRow } from './database.ts'
import { EeError, namedSite, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { sitePath } from './layout.ts'
import { readIfThere } from './machine.ts'
import { isNginxConfigValid } from './site-power.ts'
import { writeCore } from './wordpress/core-files.ts'
import { readDump } from './wordpress/dump.ts'
import { writeDatabase } from './wordpress/state.ts'

/**
 * `ee site restore`. Source: EasyEngine/site-command, src/helper/Site_Backup_Restore.php. What is in the work area counts as downloaded, whichever
 * backup it is of; archives that can't be unpacked are no errors; there is no state before.
 */
export function siteRestore(context: EeContext): void {
  const { machine } = context
  const site = namedSite(context, { mustBeEnabled: true })
  const domain = site.site_url
  const remote = remoteOf(context, domain)
  const ids = idsIn(remote)
  const id = textOption(context, 'id') ?? ids[0]
  if (id === undefined || !ids.includes(id))
    throw new EeError('Invalid backup ID provided.\nPlease provide a valid ID from the list')
  const lock = takeLock(context, domain)
  const work = machine.path(`${backupArea}/${domain}`)
  try {
    const metadata = fetched(context, work, join(remote, id))
    if (metadata.site_type !== site.site_type) throw new EeError('Site type does not match with the backed up site.')
    if (!metadata['db_name'] !== !site['db_name'])
      throw new EeError('Database mismatch between backup and current site.')
    if (metadata.site_container_fs_path !== site.site_container_fs_path)
      throw new EeError('Site public-dir does not match with the backed up site.')
    restoreFiles(context, site, { archive: join(work, `${domain}.zip`), version: metadata['wp_version'] ?? null })
    restoreConfig(context, site, join(work, 'conf.zip'))
    rmSync(work, { recursive: true })
  } finally {
    rmSync(lock, { force: true })
  }
  context.log('Reloading site.')
  if (!isNginxConfigValid({ machine }, domain)) context.warning('Nginx configuration test failed.')
  recordEffect(context, `restore ${domain} ${id}`)
  context.success('Site restored successfully.')
}

/** The row of the site as it was backed up. */
function fetched(context: EeContext, work: string, from: string): Partial<SiteRow> {
  const path = join(work, 'metadata.json')
  if (!existsSync(path)) {
    mkdirSync(work, { recursive: true })
    cpSync(from, work, { recursive: true })
    context.success('Backup downloaded from remote storage.')
  }
  return JSON.parse(readIfThere(path) ?? '{}') as Partial<SiteRow>
}

function restoreFiles(
  context: EeContext,
  site: SiteRow,
  { archive, version }: { readonly archive: string; readonly version: string | null },
): void {
  const { machine } = context
  const app = sitePath(machine, site.site_url, 'app')
  context.log('Restoring site files.')
  // What has no room is not unpacked, and nobody says so.
  const isFull = machine.trap('disk_full') !== null
  if (site.site_type === 'wp') {
    writeCore(machine, site, { version, locale: null, withContent: false })
    tar(['-xf', archive, '-C', `${app}/`, './wp-config.php', ...(site['db_name'] ? ['./sql'] : [])])
    for (const name of ['db_name', 'db_user', 'db_password', 'db_host'])
      context.success(
        `Updated the constant '${name.toUpperCase()}' in the 'wp-config.php' file with the value '${site[name]}'.`,
      )
  }
  restoreDatabase(context, site, join(app, 'sql'))
  if (site.site_type === 'wp') {
    rmSync(join(app, 'htdocs/wp-content'), { recursive: true, force: true })
    if (!isFull) tar(['-xf', archive, '-C', `${app}/`, './htdocs/wp-content'])
    return
  }
  rmSync(join(app, 'htdocs'), { recursive: true, force: true })
  mkdirSync(join(app, 'htdocs'))
  if (!isFull) tar(['-xf', archive, '-C', `${app}/`])
  rmSync(join(app, 'sql'), { recursive: true, force: true })
}

function restoreDatabase(context: EeContext, site: SiteRow, folder: string): void {
  const dump = readIfThere(join(folder, `${site.site_url}.sql`))
  if (!site['db_name'] || dump === null) return
  context.log('Restoring database.')
  const state = readDump(dump)
  if (state) writeDatabase(context.machine, site['db_name'], state)
  rmSync(folder, { recursive: true, force: true })
}

/** Files that were added since stay. */
function restoreConfig(context: EeContext, site: SiteRow, archive: string): void {
  const { machine } = context
  context.log('Restoring nginx configuration.')
  const target = `${sitePath(machine, site.site_url, 'config')}/`
  tar(['-xf', archive, '--keep-directory-symlink', '-C', target, './nginx'])
  if (site.site_type === 'html') return
  context.log('Restoring php configuration.')
  const files = ['./php/php-fpm.d', './php/php/php.ini', './php/php/conf.d/custom.ini']
  tar(['-xf', archive, '--keep-directory-symlink', '-C', target, ...files])
}
