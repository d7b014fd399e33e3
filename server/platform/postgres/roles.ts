import pg from 'pg'
import { APP_ROLE, scramVerifier, SUPERUSER, type RolePasswords } from './passwords.ts'

/** Name of the database. */
export const DATABASE = 'easydash'

/** Rights of the product's role: connecting, and what follows from owning its database. */
const appAttributes = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls inherit connection limit -1'

/** How to connect as superuser to a server that is being set up. */
export interface SetUpConnection {
  host: string
  port: number
}

async function within(connection: SetUpConnection, database: string, work: (client: pg.Client) => Promise<void>) {
  const client = new pg.Client({ ...connection, user: SUPERUSER, database })
  await client.connect()
  try {
    // Statements here never reference the product's own schemas by name.
    await client.query('set search_path = pg_catalog')
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Brings roles, database and ownership to the current state from that of any earlier version, and sets the passwords. Safe
 * to repeat, also after an interruption.
 */
export async function setUpRoles(connection: SetUpConnection, passwords: RolePasswords): Promise<void> {
  await within(connection, 'postgres', async (client) => {
    await client.query(`alter role ${SUPERUSER} password '${scramVerifier(passwords[SUPERUSER])}'`)
    const app = await client.query('select 1 from pg_roles where rolname = $1', [APP_ROLE])
    if (app.rowCount === 0) await client.query(`create role ${APP_ROLE}`)
    await client.query(`alter role ${APP_ROLE} ${appAttributes} password '${scramVerifier(passwords[APP_ROLE])}'`)
    await runGeneratedStatements(
      client,
      `select format('revoke %I from ${APP_ROLE}', r.rolname) as statement from pg_auth_members m
         join pg_roles r on r.oid = m.roleid join pg_roles a on a.oid = m.member where a.rolname = $1`,
      [APP_ROLE],
    )
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (database.rowCount === 0) await client.query(`create database ${DATABASE} owner ${APP_ROLE}`)
    await client.query(`alter database ${DATABASE} owner to ${APP_ROLE}`)
    for (const other of ['postgres', 'template1'])
      await client.query(`revoke connect, temporary on database ${other} from public`)
  })
  await within(connection, DATABASE, async (client) => {
    await client.query('begin')
    for (const select of ownedObjects) await runGeneratedStatements(client, select, [SUPERUSER, APP_ROLE])
    await client.query('commit')
  })
}

async function runGeneratedStatements(client: pg.Client, select: string, values: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(select, [...values])
  for (const { statement } of rows) await client.query(statement)
}

/** Neither PostgreSQL's own nor part of an extension. `$1` is the current owner, `$2` the new one. */
const isOwnSql = (catalog: string, alias: string, schema: string, owner: string) =>
  `${alias}.${owner} = (select oid from pg_roles where rolname = $1)
   and ${schema} !~ '^pg_' and ${schema} <> 'information_schema'
   and not exists (select 1 from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${alias}.oid and e.deptype = 'e')`

/**
 * Statements that change the owner of every object in the database. `REASSIGN OWNED` rejects the cluster's first role,
 * because it owns PostgreSQL's own objects.
 */
const ownedObjects = [
  `select format('alter schema %I owner to %I', n.nspname, $2::text) as statement
     from pg_namespace n where ${isOwnSql('pg_namespace', 'n', 'n.nspname', 'nspowner')}`,
  // A column's sequence changes with its table.
  `select format('alter %s %I.%I owner to %I',
       case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view'
         when 'f' then 'foreign table' else 'table' end, n.nspname, c.relname, $2::text) as statement
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and ${isOwnSql('pg_class', 'c', 'n.nspname', 'relowner')}
      and not (c.relkind = 'S' and exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass
        and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')))`,
  `select format('alter routine %s owner to %I', p.oid::regprocedure, $2::text) as statement
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${isOwnSql('pg_proc', 'p', 'n.nspname', 'proowner')}`,
  `select format('alter type %I.%I owner to %I', n.nspname, t.typname, $2::text) as statement
     from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
    where (t.typtype in ('e', 'd', 'r') or t.typtype = 'c' and c.relkind = 'c')
      and ${isOwnSql('pg_type', 't', 'n.nspname', 'typowner')}`,
  `select format('alter statistics %I.%I owner to %I', n.nspname, s.stxname, $2::text) as statement
     from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
    where ${isOwnSql('pg_statistic_ext', 's', 'n.nspname', 'stxowner')}`,
  `select format('alter large object %s owner to %I', l.oid, $2::text) as statement
     from pg_largeobject_metadata l where l.lomowner = (select oid from pg_roles where rolname = $1)`,
]
