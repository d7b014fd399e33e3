import { setTimeout as delay } from 'node:timers/promises'
import { MysqlError, MysqlTimeoutError, runSql, type MysqlLogin } from '#server/platform/mysql/mysql-client.ts'

const pauseMs = 50
/** Longest time until all connections are marked to end; they end at their next step, and roll back. */
const endWithinMs = 20_000
/** A statement of a site that runs longer is ended (seconds): it can lift the server's own limit for its session. */
const maxStatementSeconds = 150
/** A transaction of a site that is open longer is ended (seconds): it keeps locks, and old versions of all rows. */
const maxTransactionSeconds = 600
/** Error of KILL for a connection that ended meanwhile (ER_NO_SUCH_THREAD). */
const alreadyEnded = 1094

/**
 * Ends the open connections of users, who were locked or are about to disappear. Their names consist of letters and digits.
 * The login needs the rights PROCESS and CONNECTION ADMIN (MySQL: CONNECTION_ADMIN; or SUPER).
 * @throws {MysqlError | MysqlTimeoutError}
 */
export async function endConnections(login: MysqlLogin, users: readonly string[], signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + endWithinMs
  // Whoever logs in at this moment may have passed the check before the lock: then it is one of these, and gets its name.
  let isFirst = true
  let pending: readonly string[] = []
  for (;;) {
    const rows = await runSql(login, connectionsStatement(users), signal)
    const unnamed = rows.filter(([, user]) => user === unauthenticated).map(([id]) => id ?? '')
    pending = isFirst ? unnamed : pending.filter((id) => unnamed.includes(id))
    isFirst = false
    const open = rows.filter(([, user]) => user !== unauthenticated).map(([id]) => id ?? '')
    if (open.length === 0 && pending.length === 0) return
    if (performance.now() > deadline) throw new MysqlTimeoutError()
    if (open.length > 0) await kill(login, open, signal)
    else await delay(pauseMs, undefined, signal === undefined ? {} : { signal })
  }
}

/** Ends statements and transactions of a user that go on for too long, and hold up everybody else. */
export async function endOverlong(
  login: MysqlLogin,
  user: string,
  { statement, transaction } = { statement: maxStatementSeconds, transaction: maxTransactionSeconds },
): Promise<void> {
  const rows = await runSql(
    login,
    `SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '${user}' AND COMMAND NOT IN ('Sleep', 'Killed') AND TIME > ${statement}
UNION SELECT p.ID FROM information_schema.PROCESSLIST p JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID
WHERE p.USER = '${user}' AND p.COMMAND <> 'Killed' AND t.trx_started < NOW() - INTERVAL ${transaction} SECOND;\n`,
  )
  if (rows.length > 0)
    await kill(
      login,
      rows.map(([id]) => id ?? ''),
    )
}

const unauthenticated = 'unauthenticated user'

const connectionsStatement = (users: readonly string[]): string =>
  `SELECT ID, USER FROM information_schema.PROCESSLIST WHERE COMMAND <> 'Killed' AND USER IN (${[
    ...users,
    unauthenticated,
  ]
    .map((user) => `'${user}'`)
    .join(', ')});\n`

async function kill(login: MysqlLogin, ids: readonly string[], signal?: AbortSignal): Promise<void> {
  const statements = ids.filter((id) => /^\d+$/.test(id)).map((id) => `KILL CONNECTION ${id};\n`)
  try {
    await runSql(login, statements.join(''), signal)
  } catch (error) {
    // The next look at the list finds those that are left.
    if (!(error instanceof MysqlError && error.code === alreadyEnded)) throw error
  }
}
