import { useMemo, useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import type { LogName } from '#shared/rules/site-logs.ts'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { countLevels, foldRepeats, matchingEntries, type LogEntry, type LogLevel } from '#shared/rules/log-entries.ts'
import { entriesOf } from '#shared/rules/site-log-entries.ts'
import type { LogPage } from './log-pages.ts'
import { LogRows } from './log-rows.tsx'
import { LogToolbar } from './log-toolbar.tsx'
import { t } from './messages.ts'
import { useTextLog, type TextLog } from './use-text-log.ts'

/** Entries of a log between two gaps. */
interface LogPart {
  readonly gap: LogPage['gap']
  readonly entries: readonly LogEntry[]
}

/** Lines that follow one another are parsed together: an entry may continue on the next page. */
function partsOf(log: LogName, pages: readonly LogPage[]): LogPart[] {
  const parts: { gap: LogPage['gap']; first: number; lines: string[] }[] = []
  for (const { gap, first, lines } of pages) {
    const part = parts.at(-1)
    if (part === undefined || gap !== null) parts.push({ gap, first, lines: [...lines] })
    else part.lines.push(...lines)
  }
  return parts.map(({ gap, first, lines }) => ({ gap, entries: entriesOf(log, lines, first) }))
}

const emptyTexts = {
  php: () => [t('logs.php_empty'), t('logs.php_empty_text')],
  debug: () => [t('logs.debug_empty'), t('logs.debug_empty_text')],
  access: () => [t('logs.access_empty'), t('logs.access_empty_text')],
} satisfies Record<LogName, () => [string, string]>

/** A text log, live: searched, filtered by level, with repeats folded. */
export function TextLogPanel({ site, log, label }: { site: Site; log: LogName; label: string }) {
  const [isFollowing, setFollowing] = useState(true)
  const [isFolding, setFolding] = useState(log !== 'access')
  const [search, setSearch] = useState('')
  const [levels, setLevels] = useState<ReadonlySet<LogLevel>>(new Set())
  const read = useTextLog(site.name, log, isFollowing)
  const { pages } = read
  const parts = useMemo(() => partsOf(log, pages), [log, pages])
  const all = useMemo(() => parts.flatMap(({ entries }) => entries), [parts])
  const shown = useMemo(
    () =>
      parts.map(({ gap, entries }) => {
        const matching = matchingEntries(entries, levels, search)
        return { gap, entries: isFolding ? foldRepeats(matching) : matching }
      }),
    [parts, levels, search, isFolding],
  )
  if (!read.isLoaded && read.failure)
    return <ErrorPanel title={t('logs.error_title')} error={read.failure} onRetry={read.refresh} />
  if (!read.isLoaded) return <Skeleton className="h-[60vh] min-h-80 w-full rounded-card" />
  const isEmpty = all.length === 0 && read.partial === '' && parts.every(({ gap }) => gap === null)
  const [emptyTitle, emptyText] = emptyTexts[log]()
  const searched = search.trim()
  const isFiltered = levels.size > 0 || searched !== ''
  const count = shown.reduce((sum, { entries }) => sum + entries.length, 0)
  return (
    <section aria-label={label} className="overflow-hidden rounded-card border border-border bg-surface shadow-xs">
      <LogToolbar
        site={site}
        log={log}
        label={label}
        counts={countLevels(all)}
        levels={levels}
        onLevels={setLevels}
        search={search}
        onSearch={(text) => {
          read.forgetFound()
          setSearch(text)
        }}
        isFolding={isFolding}
        onFold={setFolding}
        isFollowing={isFollowing}
        onFollow={setFollowing}
        onCleared={() => {
          read.restart()
          void read.refresh()
        }}
      />
      {isEmpty ? (
        <EmptyState title={emptyTitle}>{emptyText}</EmptyState>
      ) : (
        <LogRows
          label={label}
          parts={shown}
          partial={isFiltered ? '' : read.partial}
          hasEarlier={Boolean(pages[0]?.start)}
          onEarlier={searched === '' ? read.readEarlier : () => read.findEarlier(searched)}
          earlier={t(searched === '' ? 'logs.earlier' : 'logs.earlier_matches')}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          empty={isFiltered && count === 0 ? t(pages[0]?.start ? 'logs.none_yet' : 'logs.none') : null}
        />
      )}
      <LogState read={read} isFollowing={isFollowing} text={t(isFiltered ? 'logs.matches' : 'logs.shown', { count })} />
    </section>
  )
}

/** What is going on, below the lines: the number of entries, and whether new ones appear. */
function LogState({ read, isFollowing, text }: { read: TextLog; isFollowing: boolean; text: string }) {
  const isOffline = useOfflineSince() !== null
  const state = isOffline ? t('logs.offline') : isFollowing ? t('logs.live') : t('logs.paused')
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 border-t border-hairline px-4 py-1.5 text-meta text-muted">
      <span role="status">{text}</span>
      <span>{state}</span>
      {read.failure && !isOffline ? (
        <span className="text-warn">{t('logs.read_failed', { reason: read.failure.message })}</span>
      ) : null}
    </div>
  )
}
