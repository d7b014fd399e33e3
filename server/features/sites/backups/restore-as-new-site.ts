import { randomBytes } from 'node:crypto'
import type { Session } from '#server/contracts/session.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { admitInsert } from '#server/documents/documents.ts'
import { capabilitiesOf, hasFacets } from '#server/engines/facets.ts'
import { serverRef } from '#server/engines/site-ref.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { findEngine } from '../engine-of.ts'

const typeByName = typesByName(doctypes)

/**
 * Inserts a site like a client that creates one; its job imports the archive of the backup. Throws AppError `unsupported` if neither the server
 * of the backup nor this machine can do that.
 */
export async function restoreAsNewSite(
  deps: SitesDeps,
  tx: Tx,
  session: Session,
  backup: SiteBackup,
  { domain, server }: { readonly domain: string; readonly server: string | null },
): Promise<{ job: string; site: string }> {
  if (domain === '') throw new AppError('invalid', msg`Enter a name.`, { field: 'domain' })
  const { wanted } = await admitInsert({ db: tx.trx, session, typeByName }, SiteDoctype, {
    organization: backup.organization,
    server: server ?? (await importingServer(deps, tx, backup)),
    domain,
    site_type: backup.site_type,
    title: domain,
    php_version: backup.php_version,
  })
  await assertMakesSites(deps, tx, String(wanted['server']))
  const site = await tx.insert(SiteDoctype.name, {
    ...wanted,
    import_archive: randomBytes(16).toString('hex'),
    import_file: `${backup.site_domain ?? backup.name}.tar.zst`,
    import_backup: backup.name,
  })
  return { job: String(site['job']), site: site.name }
}

/** Whether sites can be made of backups there. Servers that take no other archives can do that, too. */
function makesSites(deps: SitesDeps, server: Server): boolean {
  const engine = findEngine(deps.engines, server)
  return (
    engine !== undefined && hasFacets(engine, 'imports') && capabilitiesOf(engine, serverRef(server)).backup.supported
  )
}

async function assertMakesSites(deps: SitesDeps, tx: Tx, name: string): Promise<void> {
  const server = await tx.get(ServerDoctype, name)
  if (server && makesSites(deps, server)) return
  throw new AppError('unsupported', msg`Sites can’t be made of backups on this server.`, {
    field: 'server',
    nextAction: msg`Choose another server.`,
  })
}

/** The server that the backup is of, or else this machine, if the organization may use it. */
async function importingServer(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<string> {
  const own = backup.server === null ? null : await tx.get(ServerDoctype, backup.server)
  // Whatever keeps sites from being made there is said by who makes them.
  if (own && (makesSites(deps, own) || findEngine(deps.engines, own)?.reach !== 'network')) return own.name
  const others = await tx.list(ServerDoctype, [
    ['organization', '=', backup.organization],
    ['status', '=', 'Healthy'],
  ])
  const other = others.find(
    (server) => findEngine(deps.engines, server)?.reach === 'machine' && makesSites(deps, server),
  )
  if (other) return other.name
  throw new AppError('unsupported', msg`No server of the organization can make a site of this backup.`, {
    nextAction: msg`Download the backup instead.`,
  })
}
