import { MysqlDumpTooLargeError, MysqlError, MysqlTimeoutError } from '#server/platform/mysql/mysql-client.ts'
import { msg } from '#shared/localized-message.ts'
import { withoutAccounts } from '../../database-problems.ts'
import { EngineError } from '../../engine.ts'

/** Errors of clients that reach no server, and of a server that lets us not in (dev.mysql.com, "Error message reference"). */
const refusedCodes: ReadonlySet<number | null> = new Set([
  1040, 1042, 1043, 1044, 1045, 1047, 1053, 1129, 1130, 1158, 1159, 1160, 1161, 1203, 1226, 1251, 1524, 1698, 2002,
  2003, 2005, 2006, 2012, 2013, 2026, 2054, 2059, 2061, 3118, 4151,
])
/** Waiting for a lock took too long, or ended in a deadlock. */
const lockedCodes: ReadonlySet<number | null> = new Set([1205, 1213])
const maxReason = 300

/**
 * What members see of a failure: no host, user or path of the server, which the operator finds in the log. Deadlines, locks and
 * sizes are the site's own, and say so.
 */
export function mysqlFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  if (error instanceof MysqlDumpTooLargeError) {
    return new EngineError('invalid', msg`A dump of the database would be larger than the site’s quota allows.`, {
      nextAction: msg`Delete data the site does not need, or ask the platform admin for a larger quota.`,
      cause: error,
    })
  }
  const code = error instanceof MysqlError ? error.code : null
  if (error instanceof MysqlTimeoutError || lockedCodes.has(code)) {
    return failed(
      msg`The database did not answer in time: it is busy, or code of the site keeps its tables locked.`,
      msg`Stop the site and start it again, which ends everything it does in its database. Then try again.`,
      error,
    )
  }
  if (refusedCodes.has(code))
    return failed(msg`The MySQL server refused the connection, or ended it.`, askOperator(), error)
  if (code !== null) return failed(msg`The MySQL server reported error ${code}.`, askOperator(), error)
  return failed(msg`The MySQL server can’t be used at the moment.`, askOperator(), error)
}

/** The same for statements of a site's own dump, where the server's words say what is wrong with them. */
export function statementFailure(error: unknown): EngineError {
  if (
    !(error instanceof MysqlError) ||
    error.code === null ||
    refusedCodes.has(error.code) ||
    lockedCodes.has(error.code)
  )
    return mysqlFailure(error)
  return failed(
    msg`MySQL can’t execute a statement of the dump: ${withoutAccounts(error.message).slice(0, maxReason)}`,
    msg`Correct that, then try again.`,
    error,
  )
}

const askOperator = () =>
  msg`Ask the person who runs Easydash. They find the details in the log, and by the command doctor.`

const failed = (
  message: ConstructorParameters<typeof EngineError>[1],
  nextAction: ReturnType<typeof askOperator>,
  cause: unknown,
): EngineError => new EngineError('unavailable', message, { retryable: true, nextAction, cause })
