import { sql } from 'kysely'
import type { Db } from '#server/platform/database/database.ts'

/** Fills in `cloud_provider` for sites created before the field existed. Runs before the doctypes add the column. */
export async function copyProviders(trx: Db): Promise<void> {
  await sql`alter table tab_site add column if not exists cloud_provider text`.execute(trx)
  await sql`update tab_site as site set cloud_provider = server.cloud_provider
    from tab_server as server where server.name = site.server and site.cloud_provider is null`.execute(trx)
}
