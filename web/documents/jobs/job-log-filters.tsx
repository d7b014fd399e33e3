import { cx } from '#web/lib/browser/cx.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Switch } from '#web/ui/form/switch.tsx'
import { logLevels, type LogLevel } from '#shared/rules/log-entries.ts'
import { t } from './messages.ts'

const names: Partial<Record<LogLevel, () => string>> = {
  error: () => t('log.level_error'),
  warning: () => t('log.level_warning'),
  info: () => t('log.level_info'),
}

/** Levels of a job's log and folding of repeats; nothing for a log that has neither, as most have. */
export function JobLogFilters({
  counts,
  levels,
  onLevels,
  hasRepeats,
  isFolding,
  onFold,
}: {
  counts: Readonly<Record<LogLevel, number>>
  /** None: all levels are shown. */
  levels: ReadonlySet<LogLevel>
  onLevels: (levels: ReadonlySet<LogLevel>) => void
  hasRepeats: boolean
  isFolding: boolean
  onFold: (isFolding: boolean) => void
}) {
  const known = logLevels.filter((level) => counts[level] > 0)
  const hasLevels = known.some((level) => level !== 'info')
  if (!hasLevels && !hasRepeats) return null
  const toggle = (level: LogLevel): void => {
    const next = new Set(levels)
    if (!next.delete(level)) next.add(level)
    onLevels(next)
  }
  return (
    <div className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-[oklch(1_0_0/.08)] py-1 pr-3 pl-4 text-meta">
      {hasLevels ? (
        <span role="group" aria-label={t('log.levels')} className="flex flex-wrap items-center gap-1">
          {known.map((level) => (
            <button
              key={level}
              type="button"
              aria-pressed={levels.has(level)}
              onClick={() => toggle(level)}
              className={cx(
                'inline-flex h-7 items-center gap-1.5 rounded-full px-2.5 touch:h-11',
                levels.has(level) ? 'bg-[oklch(1_0_0/.16)] text-log-fg' : 'hover:bg-[oklch(1_0_0/.08)]',
              )}
            >
              {names[level]?.() ?? level}
              <span>{formatNumber(counts[level])}</span>
            </button>
          ))}
        </span>
      ) : null}
      {hasRepeats ? (
        <span className="ml-auto">
          <Switch label={t('log.fold')} checked={isFolding} onChange={onFold} />
        </span>
      ) : null}
    </div>
  )
}
