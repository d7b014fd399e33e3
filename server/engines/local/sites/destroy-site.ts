import { rm } from 'node:fs/promises'
import type { SiteRef } from '../../site-ref.ts'
import { siteSocket } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { assertSiteRef } from './site-record.ts'

/** What keeps something of a site. */
export type SiteKeepers = Pick<
  LocalContext,
  'store' | 'awake' | 'owners' | 'mysql' | 'storage' | 'lastVisits' | 'access' | 'socketFolder'
>

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
