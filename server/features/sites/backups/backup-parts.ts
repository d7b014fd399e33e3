import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import type { Reference, Tx } from '#server/contracts/transaction.ts'
import { isDiskFull, roomOn } from '#server/platform/files/disk-space.ts'
import type { ManifestSummary } from '#server/engines/site-manifest.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { decrypted, hashed } from './archive-cipher.ts'
import { Damaged, damageAsError, throwUnlessDamage } from './damaged.ts'
import { assertRecorded } from './assert-recorded.ts'
import { fetchIncrement } from './increments/fetch-increment.ts'
import { fullAsError, noRoom } from './no-room.ts'
import { storeOf } from './stores.ts'

/** The backup that a job is about. Throws AppError `not_found` if it was deleted. */
export async function backupOf({ transaction }: Pick<JobContext, 'transaction'>, name: string): Promise<SiteBackup> {
  const backup = await transaction((tx) => tx.get(SiteBackupDoctype, name))
  if (!backup) throw new AppError('not_found', msg`The backup no longer exists.`)
  return backup
}

/** The site of a backup. Throws AppError `invalid` if it is gone. */
export async function siteOfBackup(tx: Tx, backup: SiteBackup): Promise<Site> {
  const site = await tx.get(SiteDoctype, backup.site)
  if (site) return site
  throw new AppError('invalid', msg`The site of this backup no longer exists.`, {
    nextAction: msg`Restore the backup as a new site.`,
  })
}

/** Writes what the product itself found out: not a user edit, so no hooks and no activity entry. */
export async function writeBackup(tx: Tx, name: string, values: Partial<SiteBackup>): Promise<void> {
  if (await tx.get(SiteBackupDoctype, name, { lock: true }))
    await tx.update(SiteBackupDoctype, name, values, { hooks: false, activity: false })
}

/** Shows at a site what its newest backup is, and what is known of it. */
export async function showAtSite(
  tx: Tx,
  name: string,
  more: Partial<Pick<Site, 'backup_failed_at'>> = {},
): Promise<void> {
  if (!(await tx.get(SiteDoctype, name, { lock: true }))) return
  const [newest] = await tx.list(
    SiteBackupDoctype,
    [
      ['site', '=', name],
      ['status', 'in', ['Ready', 'Restoring']],
    ],
    { order_by: 'taken_at desc, creation desc', limit: 1 },
  )
  await writeSite(tx, name, { backup_at: newest?.taken_at ?? null, backup_proof: newest?.proof ?? null, ...more })
}

/** What a site says of a restore whose state before is not kept. */
export const nothingKept: Partial<Site> = { restored_from: null, restored_at: null, restored_kept_size: null }

/** What a backup says of its manifest. */
export const saidOf = ({
  site,
  wordpress_version,
  php_version,
  counts,
  files,
  not_packed: missing,
}: ManifestSummary): Partial<SiteBackup> => ({
  site_domain: site,
  wordpress_version,
  php_version,
  counts: { ...counts, files },
  not_packed: missing ?? [],
})

/** Folder of archives in clear. */
export const workFolder = ({ backupsFolder }: SitesDeps): string => join(backupsFolder, 'work')

/** A folder for a job's archive in clear and what that is put together of. `work`: the backup, or the site that is made of it. */
function folderOf(deps: SitesDeps, work: string): string {
  // It is removed with what is in it.
  if (!/^[\w-]+$/.test(work)) throw new Error(`Not the name of a folder: ${work}`)
  return join(workFolder(deps), work)
}
const archiveIn = (folder: string): string => join(folder, 'site.tar.zst')

/** A backup's archive in clear, while a job works with it. */
export const workPath = (deps: SitesDeps, work: string): string => archiveIn(folderOf(deps, work))

/** Whether only what was new since the backup before is stored of it. */
export const isIncrement = ({ needs }: Pick<SiteBackup, 'needs'>): boolean => needs !== null

/** For an archive on its way to a store or from it: the line can be slow. */
export const transferSeconds = 14_400

/** Ends the work with a backup's archive. */
export const removeWork = (deps: SitesDeps, work: string): Promise<void> =>
  rm(folderOf(deps, work), { recursive: true, force: true })

/**
 * Fetches the whole archive of a backup from where it lies. Throws `Damaged` if it is not what was backed up.
 * @param folder of the archive alone: whatever is in it is removed before
 */
export async function fetchArchive(
  deps: SitesDeps,
  backup: SiteBackup,
  job: Pick<JobContext, 'transaction' | 'signal'>,
  folder = folderOf(deps, backup.name),
): Promise<string> {
  // Of an attempt that was killed.
  await rm(folder, { recursive: true, force: true })
  const path = archiveIn(folder)
  const fetchOne = (one: SiteBackup, to: string) => fetchStored(deps, one, job, to)
  try {
    if (isIncrement(backup)) await fetchIncrement(backup, path, job, fetchOne)
    else await fetchOne(backup, path)
    await assertRecorded(backup, path, job.signal)
  } catch (error) {
    await rm(path, { force: true })
    throw fullAsError(error)
  }
  return path
}

/** Fetches to a path what is stored of a backup. */
async function fetchStored(
  deps: SitesDeps,
  backup: SiteBackup,
  job: Pick<JobContext, 'transaction' | 'signal'>,
  path: string,
): Promise<void> {
  const identity = await job.transaction((tx) => tx.secret(OrganizationDoctype, backup.organization, 'backup_identity'))
  if (identity === null) throw new Damaged('The key of the organization’s backups is gone.', 'backup_identity')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Machines that send their archives themselves can have larger ones than there is room here.
  if (await isDiskFull(dirname(path), backup.stored_size ?? 0)) throw noRoom()
  const sum = createHash('sha256')
  try {
    const store = await job.transaction((tx) => storeOf(deps, tx, backup))
    const content = await decrypted(identity, await store.read(backup))
    const { signal } = job
    const folder = dirname(path)
    await pipeline(hashed(content, sum), roomOn(folder, noRoom), createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    job.signal.throwIfAborted()
    throwUnlessDamage(error)
    throw new Damaged('The archive is not there, or cannot be decrypted.', String(error).slice(0, 300))
  }
  const found = sum.digest('hex')
  if (found === backup.sha256) return
  throw new Damaged(
    'The archive is not the one that was stored.',
    `SHA-256 ${found} instead of ${String(backup.sha256)}`,
  )
}

/** The step that fetches an archive; damage is an error. */
export function fetchStep(deps: SitesDeps, name: string, work = name): JobStepDefinition {
  return {
    key: 'fetch',
    label: 'Fetch the backup and compare its checksum',
    weight: 2,
    deadlineSeconds: transferSeconds,
    async run(step) {
      try {
        await fetchArchive(deps, await backupOf(step, name), step, folderOf(deps, work))
      } catch (error) {
        throw damageAsError(error)
      }
    },
  }
}

/** A backup as jobs and activity entries name it: by its site, also after that is gone. */
export async function backupReference(
  tx: Tx,
  backup: Pick<SiteBackup, 'name' | 'organization' | 'site' | 'site_domain'>,
): Promise<Reference & { organization: string }> {
  const site = backup.site ? await tx.get(SiteDoctype, backup.site) : null
  const title = site?.title || backup.site_domain || ''
  const address = backup.site_domain && backup.site_domain !== title ? backup.site_domain : null
  return {
    organization: backup.organization,
    reference_doctype: SiteBackupDoctype.name,
    reference_name: backup.name,
    reference_title: title,
    ...(address !== null && { reference_address: address }),
  }
}
