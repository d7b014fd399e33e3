/*
 * What a person ran in the SQL console of a site, in this tab and until it is closed or reloaded: statements can contain
 * secrets, so they are stored nowhere.
 */

/** Most statements that are kept of a site. */
const maxStatements = 30

interface KeptConsole {
  /** Newest first. */
  readonly statements: readonly string[]
  /** The state before the last change, if it can be put back. */
  readonly undo: string | null
  /** What stands in the editor. */
  readonly draft: string
}

const nothing: KeptConsole = { statements: [], undo: null, draft: '' }
const kept = new Map<string, KeptConsole>()

/** What is kept for this person and site. */
export function keptConsole(key: string): KeptConsole {
  return kept.get(key) ?? nothing
}

/** Keeps a statement that ran, as the newest. */
export function keepStatement(key: string, statement: string): void {
  const before = keptConsole(key)
  const statements = [statement, ...before.statements.filter((one) => one !== statement)].slice(0, maxStatements)
  kept.set(key, { ...before, statements })
}

/** Keeps what stands in the editor, or which state can be put back. */
export function keepConsole(key: string, change: Partial<Omit<KeptConsole, 'statements'>>): void {
  kept.set(key, { ...keptConsole(key), ...change })
}
