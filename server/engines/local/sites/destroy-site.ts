import { rm } from 'node:fs/promises'
import type { SiteRef } from '../../site-ref.ts'
import { siteSocket, type LocalBase } from '../local-base.ts'
import type { AccessLog } from '../logs/access-log.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import { assertSiteRef } from './site-record.ts'

/** What keeps something of a site. */
interface SiteKeepers
  extends SiteRuntime, Pick<LocalBase, 'store' | 'owners' | 'mysql' | 'lastVisits' | 'socketFolder'> {
  readonly access: AccessLog
}

/** Removes everything that belongs to the site. */
export async function destroySite(keepers: SiteKeepers, site: Pick<SiteRef, 'id' | 'domain'>): Promise<void> {
  assertSiteRef(site)
  await keepers.awake.sleep(site.id)
  await dropDatabase(keepers, site)
  await keepers.store.remove(site.id)
  await keepers.owners.release(site.id)
  await rm(siteSocket(keepers, site.id), { force: true })
  keepers.storage.forget(site.id)
  keepers.lastVisits.delete(site.id)
  keepers.access.forget(site.id)
}

/** A server that was removed from this machine keeps no site from being deleted. */
async function dropDatabase({ store, mysql }: SiteKeepers, { id }: Pick<SiteRef, 'id'>): Promise<void> {
  const record = store.get(id)
  const hasDatabase = record?.database === 'mysql' || record?.databaseMove !== undefined
  if (hasDatabase && mysql.capability.supported) await mysql.drop(id)
}

/** Removes rehearsals that were open long enough. */
export async function removeOpened(keepers: SiteKeepers & Pick<LocalBase, 'now'>, log: LocalEngineLog): Promise<void> {
  for (const { id, domain, openUntil } of keepers.store.all()) {
    if (openUntil === undefined || openUntil > keepers.now()) continue
    await destroySite(keepers, { id, domain }).catch((error: unknown) =>
      log.warn('An opened backup could not be removed; the next round tries again', { site: id, error }),
    )
  }
}
