/** Connects to the built-in database of a data folder from outside the product. */
import { readPasswords, APP_ROLE, SUPERUSER, type Role } from '#server/platform/postgres/passwords.ts'
import { runningServer } from '#server/platform/postgres/pid-file.ts'
import { prepareLocation } from '#server/platform/postgres/location.ts'
import { connectionAs, type PostgresConnection } from '#server/platform/postgres/postgres.ts'

/** Connection to the server running on a data folder. Default role: the product's. */
export async function productConnection(dataDir: string, role: Role = APP_ROLE): Promise<PostgresConnection> {
  const server = await runningServer((await prepareLocation(dataDir)).cluster)
  return server === null ? notRunning(dataDir) : connectionTo(server.socketDir, dataDir, role)
}

/** The same for a known socket folder, as the cluster's superuser. */
export const superuserConnection = (dataDir: string, socketDir: string): Promise<PostgresConnection> =>
  connectionTo(socketDir, dataDir, SUPERUSER)

async function connectionTo(socketDir: string, dataDir: string, role: Role): Promise<PostgresConnection> {
  const passwords = await readPasswords(dataDir)
  return passwords === null ? notRunning(dataDir) : connectionAs(role, socketDir, passwords)
}

function notRunning(dataDir: string): never {
  throw new Error(`No database runs in ${dataDir}.`)
}

/** A connection as `DATABASE_URL`: the socket goes into the query, and the usual host part keeps it a valid URL. */
export function urlOf({ host, port, user, password, database }: PostgresConnection): string {
  const query = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${user}:${password}@localhost/${database}?${query.toString()}`
}
