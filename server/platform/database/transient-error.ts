/** Temporary PostgreSQL errors: no connection, shutting down, statement timeout, deadlock, lock not available. */
const transientCodes = /^(?:08...|57P0[123]|57014|53300|40001|40P01|55P03)$/

/** Whether the database could not do something now, but can do the same soon: busy, restarting or not reachable. */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  const noConnection = 'syscall' in error && error.syscall === 'connect'
  return transientCodes.test(code) || noConnection
}
