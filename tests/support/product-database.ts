/** The built-in database of a data folder, for whoever looks into it from outside the product. */
import { readPasswords, APP_ROLE, SUPERUSER, type Role } from '#server/platform/postgres/passwords.ts'
import { runningServer } from '#server/platform/postgres/pid-file.ts'
import { preparePlace } from '#server/platform/postgres/place.ts'
import { connectionAs, type PostgresConnection } from '#server/platform/postgres/postgres.ts'

/** How to reach the server that runs on a data folder, as the product's role unless another one is named. */
export async function productConnection(dataDir: string, role: Role = APP_ROLE): Promise<PostgresConnection> {
  const server = await runningServer((await preparePlace(dataDir)).cluster)
  return server === null ? notRunning(dataDir) : connectionTo(server.socketDir, dataDir, role)
}

/** The same where the folder of the socket is known, as the cluster's superuser. */
export const superuserConnection = (dataDir: string, socketDir: string): Promise<PostgresConnection> =>
  connectionTo(socketDir, dataDir, SUPERUSER)

async function connectionTo(socketDir: string, dataDir: string, role: Role): Promise<PostgresConnection> {
  const passwords = await readPasswords(dataDir)
  return passwords === null ? notRunning(dataDir) : connectionAs(role, socketDir, passwords)
}

function notRunning(dataDir: string): never {
  throw new Error(`No database runs in ${dataDir}.`)
}

/** A connection as `DATABASE_URL`: the socket goes into the query, a host in its usual place makes it a URL everywhere. */
export function urlOf({ host, port, user, password, database }: PostgresConnection): string {
  const query = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${user}:${password}@localhost/${database}?${query.toString()}`
}
