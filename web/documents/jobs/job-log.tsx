import { useMemo, useState } from 'react'
import { showToast } from '#web/lib/browser/toasts.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { countLevels, foldRepeats, matchingEntries, type LogLevel } from '#shared/rules/log-entries.ts'
import { LogView } from '#web/ui/log-view.tsx'
import { JobLogFilters } from './job-log-filters.tsx'
import { lineTone, logClock, logEntry, logText } from './log-lines.ts'
import { t } from './messages.ts'
import { useJobLog } from './use-job-log.ts'
import { saveText } from '#web/lib/browser/save-file.ts'

/** The streamed log of a job; `written` is the job's number of log lines. */
export function JobLog({
  job,
  label,
  written,
  ended,
}: {
  job: string
  label: string
  written: number
  ended: boolean
}) {
  const { lines, failure, loaded } = useJobLog(job, written, ended)
  const [levels, setLevels] = useState<ReadonlySet<LogLevel>>(new Set())
  const [isFolding, setFolding] = useState(false)
  const entries = useMemo(() => lines.map(logEntry), [lines])
  const folded = useMemo(() => foldRepeats(entries), [entries])
  // Most jobs say everything in their steps.
  if (loaded && ended && lines.length === 0 && !failure) return null
  return (
    <LogView
      lines={matchingEntries(isFolding ? folded : entries, levels, '').map(({ key, at, text, count, since }) => ({
        key,
        time: logClock(at),
        text,
        tone: lineTone(text),
        times:
          count > 1
            ? { short: t('log.times', { count }), words: t('log.times_since', { count, time: logClock(since) }) }
            : undefined,
      }))}
      filters={
        <JobLogFilters
          counts={countLevels(entries)}
          levels={levels}
          onLevels={setLevels}
          hasRepeats={folded.length < entries.length}
          isFolding={isFolding}
          onFold={setFolding}
        />
      }
      labels={{
        title: t('log.title'),
        count: t('log.lines', { count: lines.length }),
        follow: t('log.follow'),
        search: t('log.search'),
        openSearch: t('log.search'),
        closeSearch: t('log.search_close'),
        matches: (count) => t('log.matches', { count }),
        copy: t('log.copy'),
        download: t('log.download'),
        empty: t('log.wait'),
      }}
      note={failure ? t('log.error', { reason: failure }) : null}
      onCopy={() =>
        void copyText(logText(lines)).then((done) =>
          showToast({ title: done ? t('log.copied') : t('log.copy_failed'), variant: done ? 'success' : 'warning' }),
        )
      }
      onDownload={() =>
        saveText(`${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') || 'job'}-${job}.log`, logText(lines))
      }
    />
  )
}
