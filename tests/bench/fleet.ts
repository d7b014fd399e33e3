/** Fills the product's database: an organization with many members and sites, with passwords and sessions. */
import pg from 'pg'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { sessionCookies } from '#server/wire/request/cookies.ts'
import type { Product } from '#tests/e2e/support/harness.ts'
import { productConnection } from '#tests/support/product-database.ts'
import { signUpOwner } from './bench-product.ts'

/** The organization and owner created by `signUpOwner`. */
export const organization = 'bench'
const owner = 'owner@bench.example'

/** The password of all accounts. */
export const sharedPassword = 'tulip-brass-91-walnut-fjord'

/** Name of a member's row. */
export const memberRow = (at: number): string => `mbr${String(at).padStart(7, '0')}`

/** Email address of a member; the owner has a different one. */
export const memberEmail = (at: number): string => `member${at}@bench.example`

/** A connection to the embedded database of a running product. */
export async function connectTo(product: Product): Promise<pg.Client> {
  return await connect(await productConnection(product.dataDir))
}

/** A connection to a database. */
export async function connect(connection: PostgresConnection): Promise<pg.Client> {
  const client = new pg.Client(connection)
  await client.connect()
  return client
}

/** The columns of a table that are written, as SQL with a prefix. */
async function columnsOf(client: pg.Client, table: string): Promise<(prefix: string) => string> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  return (prefix) => rows.map(({ name }) => prefix + pg.escapeIdentifier(name)).join(', ')
}

/** Adds members 1 to `count` with the owner's password, all with one role. */
export async function addMembers(client: pg.Client, count: number, role: string): Promise<void> {
  const copy = async (table: string, column: string, changes: string) => {
    const columns = await columnsOf(client, table)
    await client.query(
      `insert into ${table} (${columns('')}) select ${columns('c.')}
        from ${table} t, generate_series(1, $1::int) n, jsonb_populate_record(t, ${changes}) c where t.${column} = $2`,
      [count, owner],
    )
  }
  const email = `'member' || n || '@bench.example'`
  await copy('tab_user', 'name', `jsonb_build_object('name', ${email}, 'email', ${email}, 'role_profile_name', null)`)
  await copy('tab_user_meta', 'name', `jsonb_build_object('name', ${email}, 'owner', ${email})`)
  await copy('easydash_credential', '"user"', `jsonb_build_object('user', ${email})`)
  await copy(
    'tab_organization_member',
    '"user"',
    `jsonb_build_object('name', 'mbr' || lpad(n::text, 7, '0'), 'user', ${email}, 'organization_role', '${role}')`,
  )
  await client.query('analyze')
}

/** Adds sites without an engine, owned by the members in turn. */
export async function addSites(client: pg.Client, count: number, server: string, owners: number): Promise<void> {
  await client.query("update tab_organization set plan = 'Enterprise'")
  await client.query(
    `insert into tab_site (name, owner, creation, modified, modified_by, organization, domain, status, server, site_type, php_version, wordpress_version, engine_host, health)
      select 's' || lpad(n::text, 9, '0'), 'member' || 1 + n % $3::int || '@bench.example', now() - n * interval '1 minute',
        now() - (n % 977) * interval '1 hour', $4, $5, 'site-' || n || '.example',
        (array['Live','Live','Live','Live','Archived','Failed','Suspended'])[1 + n % 7], $2,
        (array['wp','wp','php','html'])[1 + n % 4], (array['8.2','8.3','8.4','8.5'])[1 + n % 4], '6.' || n % 9, 'elsewhere', 'Up'
      from generate_series(1, $1::int) n`,
    [count, server, owners, owner, organization],
  )
  await client.query('analyze')
}

/** Creates a session for a user; returns the headers of requests that write. */
export async function openWritingSession(client: pg.Client, user: string): Promise<Record<string, string>> {
  const cookie = await openSession(client, user)
  const { rows } = await client.query<{ csrf_token: string }>(
    'select csrf_token from easydash_session where sid_hash = $1',
    [hashToken(/sid=([^;]+)/.exec(cookie)?.[1] ?? '')],
  )
  return { cookie, 'x-frappe-csrf-token': rows[0]?.csrf_token ?? '' }
}

/** Gives each of the members 1 to `count` an organization of their own, `bench-N`, which is their only one. */
export async function addOrganizations(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into tab_organization select (jsonb_populate_record(t,
        jsonb_build_object('name', 'bench-' || n, '_owner', 'member' || n || '@bench.example', 'owner', 'member' || n || '@bench.example'))).*
      from tab_organization t, generate_series(1, $1::int) n where t.name = $2`,
    [count, organization],
  )
  await client.query(
    `update tab_organization_member set parent = 'bench-' || n, organization_role = 'Organization Admin'
      from generate_series(1, $1::int) n where "user" = 'member' || n || '@bench.example'`,
    [count],
  )
  await client.query(
    `update tab_user_meta set current_organization = 'bench-' || n
      from generate_series(1, $1::int) n where name = 'member' || n || '@bench.example'`,
    [count],
  )
}

/** Creates a session for a user; returns the `Cookie` header of a browser that logged in. */
export async function openSession(client: pg.Client, user: string): Promise<string> {
  const [sid, id] = [newToken(), newToken()]
  await client.query(
    `insert into easydash_session (id, lineage, sid_hash, "user", csrf_token, expires, ip, user_agent, reauth_at)
      values ($1, $1, $2, $3, $4, now() + interval '1 day', '127.0.0.1', 'bench', now())`,
    [id, hashToken(sid), user, newToken()],
  )
  const { rows } = await client.query<{ full_name: string }>('select full_name from tab_user where name = $1', [user])
  const profile = { user, full_name: rows[0]?.full_name ?? user, user_image: '', system_user: 'yes' } as const
  return sessionCookies(sid, profile)
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')
}

/** Adds members and sites to a new installation, a site for each member; resolves with the owner's cookie. */
export async function fillLists(
  product: Product,
  { members, sites }: { readonly members: number; readonly sites: number },
): Promise<string> {
  const owner = await signUpOwner(product)
  const client = await connectTo(product)
  try {
    await addMembers(client, members, 'Organization User')
    await addSites(client, sites, owner.server, members)
    return await openSession(client, 'owner@bench.example')
  } finally {
    await client.end()
  }
}
