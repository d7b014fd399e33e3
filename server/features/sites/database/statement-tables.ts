const beforeTable = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE', 'TABLE'])
const between = new Set(['IF', 'EXISTS', 'NOT', 'IGNORE', 'LOW_PRIORITY', 'ONLY'])

/** Comments, texts, names and words; all else is skipped. No two alternatives begin alike, and none is tried again. */
const tokens =
  /--[^\n]*|#[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?|'(?:[^'\\]|\\[^])*'?|"(?:[^"\\]|\\[^])*"?|`[^`]*`?|[A-Za-z_][\w$]*/g

/** Most tables that are named. */
const maxTables = 5

/**
 * Tables that a statement seems to name, for the activity log, where its values must not get: they can be passwords. What is not
 * a plain name of a table is left out.
 */
export function statementTables(sql: string): string[] {
  const tables = new Set<string>()
  let isNext = false
  for (const [token] of sql.matchAll(tokens)) {
    const word = token.toUpperCase()
    if (/^[-#/]/.test(token)) continue
    if (beforeTable.has(word)) isNext = true
    else if (isNext && !between.has(word)) {
      const name = token.startsWith('`') ? token.slice(1, -1) : token
      if (/^\w{1,64}$/.test(name)) tables.add(name)
      isNext = false
    }
  }
  return [...tables].slice(0, maxTables)
}
