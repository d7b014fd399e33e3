import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteRow } from './database.ts'
import { reportBackup, type BackupProblem } from './dashboard-callback.ts'
import { EeError, namedSite, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { sitePath } from './layout.ts'
import { put } from './machine.ts'
import { remoteFolder } from './rclone.ts'
import { setting } from './settings.ts'
import { dumpOf } from './wordpress/dump.ts'
import { readDatabase } from './wordpress/state.ts'
import { coreVersion } from './wordpress/wp-core.ts'

/** Ends a backup with what the dashboard is told. */
class BackupError extends EeError {
  readonly problem: BackupProblem
  constructor(message: string, type: string, code: number) {
    super(message)
    this.problem = { error_message: message, error_type: type, error_code: code }
  }
}

export const backupArea = '/opt/easyengine/.backup'

/** The folder of a site's backups on the remote. */
export function remoteOf(context: EeContext, domain: string): string {
  const { machine } = context
  const place = setting(context, 'rclone-path') ?? ''
  if (!existsSync(machine.path('/bin/rclone')))
    throw new BackupError('rclone is not installed.', 'configuration_error', 2001)
  const folder = remoteFolder(machine, `${place}/${domain}`)
  if (folder === null)
    throw new BackupError(`rclone backend "${place.split(':')[0]}" does not exist.`, 'configuration_error', 2002)
  return folder
}

export const idsIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /^\d+_\d{4}(?:-\d\d){5}$/.test(name))
        .toSorted()
        .toReversed()
    : []

/** `ee site backup`. */
export async function siteBackup(context: EeContext): Promise<void> {
  const { options, machine } = context
  const auth = textOption(context, 'dash-auth')
  const isLenient = options['list'] === true || auth !== null
  const site = namedSite(context, { mustBeEnabled: !isLenient })
  if (options['list'] === true)
    return machine.out(
      idsIn(remoteOf(context, site.site_url))
        .map((id) => `${id}\n`)
        .join(''),
    )
  const report = auth === null ? null : reportBackup(context, site.site_url, auth)
  let made: Awaited<ReturnType<typeof makeBackup>>
  try {
    made = makeBackup(context, site)
  } catch (error) {
    if (error instanceof BackupError) await report?.failure(error.problem)
    throw error
  }
  // [inf] A backup that the dashboard does not confirm is removed again, and the exit code is 0 nevertheless.
  if ((await report?.success(made.metadata)) === false) {
    context.warning('EasyDash API callback failed. Rolling back newly uploaded backup...')
    rmSync(made.folder, { recursive: true, force: true })
  } else prune(context, site.site_url)
  recordEffect(context, `backup ${site.site_url}`)
  context.success('Backup created successfully.')
}

/** Takes the lock of a site. What is killed leaves it. */
export function takeLock({ machine }: EeContext, domain: string): string {
  const lock = machine.path(`${backupArea}/${domain}.lock`)
  if (existsSync(lock))
    throw new BackupError(
      'Another backup/restore process is running. Please wait for it to complete.',
      'lock_error',
      2003,
    )
  put(lock, '')
  return lock
}

function makeBackup(context: EeContext, site: SiteRow) {
  const { machine } = context
  const domain = site.site_url
  if (site.site_enabled !== '1')
    throw new BackupError(
      `Site ${domain} is disabled. Enable it with \`ee site enable ${domain}\` to create backup.`,
      'validation_error',
      1003,
    )
  const remote = remoteOf(context, domain)
  const lock = takeLock(context, domain)
  const work = machine.path(`${backupArea}/${domain}`)
  try {
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work, { recursive: true })
    context.log('Backing up site files.')
    context.log('This may take some time.')
    if (machine.trap('disk_full') !== null)
      throw new BackupError(
        'Failed to create backup archive. Please check disk space and file permissions.',
        'filesystem_error',
        3002,
      )
    const state = site['db_name'] ? readDatabase(machine, site['db_name']) : null
    if (site['db_name']) {
      context.log('Backing up database.')
      put(sitePath(machine, domain, `app/sql/${domain}.sql`), dumpOf({ machine, site, state }))
    }
    pack(join(work, `${domain}.zip`), sitePath(machine, domain, 'app'))
    rmSync(sitePath(machine, domain, 'app/sql'), { recursive: true, force: true })
    context.log('Backing up nginx configuration.')
    pack(join(work, 'conf.zip'), sitePath(machine, domain, 'config'))
    const id = newId(idsIn(remote))
    const metadata = {
      post_count: state?.posts ?? 0,
      page_count: state?.pages ?? 0,
      comment_count: state?.comments ?? 0,
      upload_count: 0,
      plugin_count: state?.activePlugins.length ?? 0,
      theme_count: state ? 1 : 0,
      user_count: state?.users.length ?? 0,
      wp_version: state ? coreVersion({ machine, site }) : '',
      site_type: site.site_type,
      remote_path: `${setting(context, 'rclone-path')}/${domain}/${id}`,
    }
    put(join(work, 'metadata.json'), JSON.stringify({ ...site, ...metadata }))
    const folder = join(remote, id)
    cpSync(work, folder, { recursive: true })
    context.success(`Backup uploaded to remote storage. Remote path: ${metadata.remote_path}`)
    return { folder, metadata }
  } finally {
    rmSync(work, { recursive: true, force: true })
    rmSync(lock, { force: true })
  }
}

/** Seconds since 1970 and the same as a date. A real backup takes longer than a second, so two never have the same. */
function newId(taken: readonly string[]): string {
  for (let seconds = Math.floor(Date.now() / 1000); ; seconds += 1) {
    const date = new Date(seconds * 1000).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
    if (!taken.includes(`${seconds}_${date}`)) return `${seconds}_${date}`
  }
}

/** Starts when there are two more than are kept. */
function prune(context: EeContext, domain: string): void {
  const kept = Number(setting(context, 'no-of-backups') ?? 7)
  const folder = remoteOf(context, domain)
  const ids = idsIn(folder)
  if (ids.length <= kept + 1) return
  context.log(`Cleaning up old backups. Keeping ${kept} most recent backups.`)
  for (const id of ids.slice(kept)) rmSync(join(folder, id), { recursive: true })
}

/** Archives are tar files whatever their name says: the machine that simulates has `tar`. */
function pack(archive: string, folder: string): void {
  tar(['-chf', archive, '-C', `${folder}/`, '.'])
}

export function tar(args: readonly string[]): void {
  const { status, stderr } = spawnSync('/bin/tar', args, { encoding: 'utf8' })
  if (status !== 0) throw new EeError(`tar: ${stderr}`)
}
