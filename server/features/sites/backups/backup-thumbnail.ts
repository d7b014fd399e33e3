import { sql } from 'kysely'
import type { JobContext } from '#server/contracts/job.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { binary } from '#shared/schema.ts'
import type { SitesDeps } from '../deps.ts'
import { withFacetsOf } from '../engine-of.ts'
import { storedThumbnail, type StoredThumbnail } from '../thumbnail-table.ts'
import { thumbnailDownload } from '../thumbnails.ts'
import { writeBackup } from './backup-parts.ts'

/** Creates the table of the homepages that proofs saw if it is missing. Rows are deleted with their backup. */
export async function backupThumbnailTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_backup_thumbnail (
    backup text primary key references tab_site_backup (name) on delete cascade,
    tag text not null,
    content bytea not null)`.execute(trx)
}

/**
 * The homepage of a rehearsal; null where no browser is installed, and for one that shows none: that says nothing about the backup
 * that its verdict doesn't.
 */
export async function takeBackupThumbnail(
  { log }: Pick<SitesDeps, 'log'>,
  engine: Engine,
  rehearsal: SiteRef,
  { signal, ...step }: Pick<JobContext, 'signal' | 'log' | 'referenceName'>,
): Promise<StoredThumbnail | null> {
  if (!capabilitiesOf(engine, rehearsal.server).thumbnail.supported) return null
  try {
    const { content } = await withFacetsOf(engine, 'thumbnail').thumbnail(rehearsal, signal)
    return storedThumbnail(content)
  } catch (error) {
    signal.throwIfAborted()
    log.info('The screenshot of a backup could not be taken', { backup: step.referenceName, error })
    step.log(error instanceof Error ? error.message : String(error))
    return null
  }
}

/** Keeps what the last proof of a backup saw, if anything, instead of what one before saw. */
export async function keepBackupThumbnail(tx: Tx, backup: string, thumbnail: StoredThumbnail | null): Promise<void> {
  if (!(await tx.get(SiteBackupDoctype, backup, { lock: true }))) return
  await sql`delete from easydash_backup_thumbnail where backup = ${backup}`.execute(tx.trx)
  if (thumbnail !== null)
    await sql`insert into easydash_backup_thumbnail (backup, tag, content)
      values (${backup}, ${thumbnail.tag}, ${thumbnail.content})`.execute(tx.trx)
  await writeBackup(tx, backup, {
    thumbnail: thumbnail && `/api/method/easydash.api.backups.thumbnail?backup=${backup}&v=${thumbnail.tag}`,
  })
}

/** What a proof of a backup saw, or null. */
export async function readBackupThumbnail(tx: Tx, backup: string): Promise<StoredThumbnail | null> {
  const { rows } = await sql<StoredThumbnail>`
    select tag, content from easydash_backup_thumbnail where backup = ${backup}`.execute(tx.trx)
  return rows[0] ?? null
}

/** Serves it to callers who may read the backup. */
export function backupThumbnailMethod(deps: SitesDeps): Method {
  return defineMethod({
    name: 'easydash.api.backups.thumbnail',
    access: 'verified',
    tokens: 'sites:read',
    verbs: ['GET'],
    params: {
      backup: data({ reqd: true, length: 10 }),
      v: data({ description: 'Version of the screenshot, so that each version has its own URL.' }),
    },
    description:
      'The homepage as the proof of a backup saw it, at the address in the field `thumbnail` of the backup addresses it.',
    returns: binary,
    async run(params, { session, documents }) {
      const { name, site_domain: domain } = await documents.get(session, SiteBackupDoctype, params.backup)
      const thumbnail = await deps
        .documents()
        .transaction(systemSession('schedule'), (tx) => readBackupThumbnail(tx, name))
      if (!thumbnail) throw new AppError('not_found', msg`The proof of this backup has no screenshot.`)
      return thumbnailDownload(`${domain ?? name}.webp`, thumbnail)
    },
  })
}
