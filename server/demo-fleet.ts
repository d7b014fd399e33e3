import { sql } from 'kysely'
import { newName } from '#server/documents/documents.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { siteUrgency } from '#shared/rules/site-attention.ts'
import { demoSamples } from './demo-metrics.ts'
import { storeSamples } from './features/metrics/store-samples.ts'
import { systemSession } from './jobs/session.ts'
import type { Product } from './product.ts'

/** Why sites and servers of the fleet need attention. */
const reasons = {
  Degraded: 'Only 4% of the disk is free. Delete what is not needed, or choose a larger machine.',
  Disconnected: 'Nothing answers at its address: the connection to port 22 timed out.',
  Failed: 'The homepage answered with the status 500: the database refused the connection.',
} as const

/** An organization of any size for load tests, as rows only: its sites exist on no engine. */
export async function demoFleet(
  product: Pick<Product, 'database' | 'documents'>,
  owner: string,
  size: { sites: number; servers: number; members: number },
): Promise<void> {
  const { db } = product.database
  await product.documents.transaction(systemSession('terminal'), (tx) =>
    tx.update(OrganizationDoctype, 'fleet', { plan: 'Enterprise' }),
  )
  const servers = Array.from({ length: Math.max(1, size.servers) }, newName)
  const now = sql`now() at time zone 'utc'`
  await sql`insert into tab_server (name, owner, creation, modified, modified_by, organization, hostname, status, engine, server_category, cloud_provider, cpu, ram, disk, disk_free, checked_at, _owner)
    select name, ${owner}, ${now}, ${now}, ${owner}, 'fleet', 'node-' || n || '.fleet.example',
      (array['Healthy','Healthy','Healthy','Degraded','Disconnected'])[1 + n % 5], 'ee', (array['development','production'])[1 + n % 2],
      (array['Hetzner','AWS','DigitalOcean','Custom'])[1 + n % 4], 2 + 2 * (n % 4), 4294967296 * (1 + n % 4), 42949672960.0 * (1 + n % 4),
      42949672960.0 * (1 + n % 4) * case n % 5 when 3 then 0.04 else 0.25 + 0.15 * (n % 4) end, ${now}, ${owner}
    from unnest(${servers}::text[]) with ordinality as s (name, n)`.execute(db)
  await sql`insert into tab_site (name, owner, creation, modified, modified_by, organization, domain, title, status, server, engine, engine_host, cloud_provider, url, site_type, php_version, wordpress_version, health, createdby_email, disk_used)
    select 'f' || lpad(n::text, 9, '0'), ${owner}, ${now} - n * interval '7 minutes', ${now} - (n % 977) * interval '1 hour', ${owner}, 'fleet',
      'site-' || n || '.fleet.example',
      (array['Harbor','North Pier','Old Mill','Cedar','Lakeside','Summit','Willow'])[1 + n % 7] || ' ' ||
        (array['Bakery','Dental Care','Architects','Bikes','Books','Yoga','Law','Coffee','Garden Center','Press','Hotel'])[1 + n % 11],
      (array['Live','Live','Live','Live','Live','Archived','Failed','Suspended'])[1 + n % 8],
      (${servers}::text[])[1 + n % ${servers.length}::int], 'ee', 'fleet', (array['Hetzner','AWS','DigitalOcean','Custom'])[1 + (1 + n % ${servers.length}::int) % 4], 'https://site-' || n || '.fleet.example',
      (array['wp','wp','wp','php','html'])[1 + n % 5], (array['8.2','8.3','8.4','8.5'])[1 + n % 4], '6.' || (n % 6), 'Not Checked', ${owner}, 70000000 + n * 1000
    from generate_series(1, ${size.sites}::int) n`.execute(db)
  await sql`insert into tab_user (name, owner, creation, modified, modified_by, email, first_name, last_name, full_name, enabled, email_verified, language)
    select 'member-' || n || '@fleet.example', ${owner}, ${now}, ${now}, ${owner}, 'member-' || n || '@fleet.example', first, last, first || ' ' || last, 1, 1, 'en'
    from generate_series(1, ${size.members}::int) n,
      lateral (select (array['Ana','Ben','Chloe','David','Elif','Finn','Grace'])[1 + n % 7] as first,
        (array['Abel','Brandt','Costa','Dumont','Eriksen','Fuchs','Garcia','Hansen','Ito','Jansen','Kaya'])[1 + n % 11] as last) as named`.execute(
    db,
  )
  await sql`insert into tab_organization_member (name, owner, creation, modified, modified_by, parent, parentfield, parenttype, "user", organization_role, idx)
    select 'm' || lpad(n::text, 9, '0'), ${owner}, ${now}, ${now}, ${owner}, 'fleet', 'members', 'Organization', 'member-' || n || '@fleet.example',
      (array['Organization User','Organization User','Organization Manager','Organization Admin'])[1 + n % 4], n + 1
    from generate_series(1, ${size.members}::int) n`.execute(db)
  const since = sql`creation`
  for (const status of ['Degraded', 'Disconnected'] as const)
    await sql`update tab_server set failure_reason = ${reasons[status]}, failure_since = ${since}
      where organization = 'fleet' and status = ${status}`.execute(db)
  // They failed after two thirds of their life, a little after they last answered.
  const failed = sql`creation + (${now} - creation) * 2 / 3`
  await sql`update tab_site set failure_reason = ${reasons.Failed}, failure_since = ${failed},
      last_answer_at = creation + (${now} - creation) * 3 / 5
    where organization = 'fleet' and status = 'Failed'`.execute(db)
  for (const status of ['Failed', 'Suspended'])
    await sql`update tab_site set attention = ${siteUrgency({ status })}
      where organization = 'fleet' and status = ${status}`.execute(db)
  await fleetMetrics(product)
  await sql`analyze tab_server, tab_site, tab_user, tab_organization_member`.execute(db)
}

/** Servers that get their samples in one statement: it takes a few seconds. */
const serversAtOnce = 50

/** Gives every server seven days of samples, those that are alike the same ones: stored together, they take a fraction of the time. */
async function fleetMetrics({ documents }: Pick<Product, 'documents'>): Promise<void> {
  const system = systemSession('terminal')
  const fields = ['name', 'hostname', 'cpu', 'ram', 'disk', 'disk_free', 'total_swap'] as const
  const servers = await documents.transaction(system, (tx) =>
    tx.listFields(ServerDoctype, fields, [['organization', '=', 'fleet']]),
  )
  const now = Math.floor(Date.now() / 1000)
  const groups = Map.groupBy(servers, ({ cpu, ram, disk, disk_free }) => [cpu, ram, disk, disk_free].join())
  for (const alike of groups.values()) {
    const [first] = alike
    const samples = first === undefined ? [] : demoSamples(first, now)
    for (let at = 0; at < alike.length; at += serversAtOnce) {
      const names = alike.slice(at, at + serversAtOnce).map(({ name }) => name)
      await documents.transaction(system, async (tx) => {
        // More rows than the statements of requests may write.
        await sql`set local statement_timeout = '60s'`.execute(tx.trx)
        await storeSamples(tx, names, samples)
      })
    }
  }
}
