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

/** Creates roles and database where they are missing, and sets the passwords. Safe to repeat, also after an interruption. */
export async function setUpRoles(connection: SetUpConnection, passwords: RolePasswords): Promise<void> {
  const client = new pg.Client({ ...connection, user: SUPERUSER, database: 'postgres' })
  await client.connect()
  try {
    await client.query(`alter role ${SUPERUSER} password '${scramVerifier(passwords[SUPERUSER])}'`)
    const app = await client.query('select 1 from pg_roles where rolname = $1', [APP_ROLE])
    if (app.rowCount === 0) await client.query(`create role ${APP_ROLE}`)
    await client.query(`alter role ${APP_ROLE} ${appAttributes} password '${scramVerifier(passwords[APP_ROLE])}'`)
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (database.rowCount === 0) await client.query(`create database ${DATABASE} owner ${APP_ROLE}`)
    for (const other of ['postgres', 'template1'])
      await client.query(`revoke connect, temporary on database ${other} from public`)
  } finally {
    await client.end()
  }
}
