/** Limits of the consoles. */
export const consoleLimits = {
  /** Characters of a statement or of PHP code. */
  code: 20_000,
  /** Characters of a command of WP-CLI, and how many words it has. */
  command: 2_000,
  words: 100,
  /** Characters of what PHP and WP-CLI print, and of what PHP returns. */
  output: 20_000,
  /** Characters of code that are kept of a run. */
  kept: 10_000,
  /** Runs that are kept of a site, and days. */
  runs: 100,
  days: 90,
} as const

/** What a console runs. */
export const consoleKinds = ['sql', 'php', 'wp'] as const

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

/**
 * The words of a command of WP-CLI, as a shell separates them: quotes hold words together, a backslash takes the special meaning of what
 * follows (in double quotes of a quote and a backslash only). Nothing else is special: no variables, no patterns, no pipes. `wp` at its beginning
 * is left out. Null: a quote is not closed, or nothing follows a backslash.
 */
export function commandWords(line: string): string[] | null {
  const token = /\s+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/gy
  const words: string[] = []
  let word: string | null = null
  let at = 0
  for (let found = token.exec(line); found !== null; found = token.exec(line)) {
    at = token.lastIndex
    const [, single, double, escaped, plain] = found
    const part = single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? plain
    if (part !== undefined) word = (word ?? '') + part
    else if (word !== null) {
      words.push(word)
      word = null
    }
  }
  if (at !== line.length) return null
  if (word !== null) words.push(word)
  return words[0] === 'wp' ? words.slice(1) : words
}
