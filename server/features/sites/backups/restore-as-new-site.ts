import { randomBytes } from 'node:crypto'
import type { Session } from '#server/contracts/session.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { admitInsert } from '#server/documents/documents.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

const typeByName = typesByName(doctypes)

/** Inserts a site like a client that creates one; its job imports the archive of the backup. */
export async function restoreAsNewSite(
  tx: Tx,
  session: Session,
  backup: SiteBackup,
  domain: string,
): Promise<{ job: string; site: string }> {
  if (domain === '') throw new AppError('invalid', msg`Enter a name.`, { field: 'domain' })
  const { wanted } = await admitInsert({ db: tx.trx, session, typeByName }, SiteDoctype, {
    organization: backup.organization,
    server: backup.server,
    domain,
    site_type: backup.site_type,
    title: domain,
    php_version: backup.php_version,
  })
  const site = await tx.insert(SiteDoctype.name, {
    ...wanted,
    import_archive: randomBytes(16).toString('hex'),
    import_file: `${backup.site_domain ?? backup.name}.tar.zst`,
    import_backup: backup.name,
  })
  return { job: String(site['job']), site: site.name }
}
