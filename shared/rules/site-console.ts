/** Limits of the SQL and the PHP console. */
export const consoleLimits = {
  /** Characters of a statement or of PHP code. */
  code: 20_000,
  /** Characters of what PHP prints, and of what it returns. */
  output: 20_000,
  /** Characters of code that are kept of a run. */
  kept: 10_000,
  /** Runs that are kept of a site, and days. */
  runs: 100,
  days: 90,
} as const

/** What a console runs. */
export const consoleKinds = ['sql', 'php'] as const

/** States of a run. */
export const consoleStates = ['Running', 'Done', 'Failed'] as const

const reading = new Set(['SELECT', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'WITH'])
const writing = new Set(
  'INSERT REPLACE UPDATE DELETE TRUNCATE CREATE ALTER DROP RENAME SET USE CALL LOAD OPTIMIZE REPAIR ANALYZE CHECK'.split(
    ' ',
  ),
)

/**
 * What kind of statement it is, from its first word after comments, in upper case; '' if it is none that is known: the word could
 * be anything, also a secret. MySQL runs what is in the comments that begin with an exclamation mark, and MariaDB in those with
 * an M before it, so these are none.
 */
export function statementKind(sql: string): string {
  const rest = sql.replace(/^(?:[\s(;]|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?!M?!)[^*]*(?:\*(?!\/)[^*]*)*\*\/)+/, '')
  const word = /^[A-Za-z]{1,30}/.exec(rest)?.[0].toUpperCase() ?? ''
  return reading.has(word) || writing.has(word) ? word : ''
}

/**
 * Whether a statement looks as if it only reads. A site's database decides about that itself: what looks so and writes after
 * all changes nothing and is reported.
 */
export function looksReading(sql: string): boolean {
  return reading.has(statementKind(sql))
}
