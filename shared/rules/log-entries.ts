/** Levels of entries, the most severe first. */
export const logLevels = ['error', 'warning', 'notice', 'deprecated', 'info'] as const

/** One of `logLevels`. */
export type LogLevel = (typeof logLevels)[number]

/** An entry of a log: one line, or several that belong together, such as an error with its stack trace. */
export interface LogEntry {
  /** Unique and stable: number of its first line. */
  readonly key: number
  readonly level: LogLevel
  /** Milliseconds since 1970; null if the log doesn't say, or in a time zone that is not known here. */
  readonly at: number | null
  /** Without its time. */
  readonly text: string
  /** What makes two entries the same: the text, without what differs each time. */
  readonly same: string
  /** How often it occurred; more than 1 after folding. */
  readonly count: number
  /** Time of the first occurrence. */
  readonly since: number | null
}

/**
 * Folds entries that say the same into their latest occurrence, with the number and the time of the first. Order and number of
 * different entries stay as they are.
 */
export function foldRepeats(entries: readonly LogEntry[]): LogEntry[] {
  const folded = new Map<string, LogEntry>()
  for (const entry of entries) {
    const key = `${entry.level} ${entry.same}`
    const before = folded.get(key)
    // Set again at the end: a map keeps the order of insertion.
    folded.delete(key)
    folded.set(
      key,
      before === undefined
        ? entry
        : { ...entry, count: before.count + entry.count, since: before.since ?? entry.since },
    )
  }
  return [...folded.values()]
}

/** Number of occurrences by level. */
export function countLevels(entries: readonly LogEntry[]): Readonly<Record<LogLevel, number>> {
  const counts = { error: 0, warning: 0, notice: 0, deprecated: 0, info: 0 }
  for (const { level, count } of entries) counts[level] += count
  return counts
}

/** Entries of the given levels (all if none is given) that contain the text, in any case. */
export function matchingEntries(
  entries: readonly LogEntry[],
  levels: ReadonlySet<LogLevel>,
  search: string,
): readonly LogEntry[] {
  const wanted = search.trim().toLowerCase()
  if (levels.size === 0 && wanted === '') return entries
  return entries.filter(
    ({ level, text }) => (levels.size === 0 || levels.has(level)) && text.toLowerCase().includes(wanted),
  )
}
