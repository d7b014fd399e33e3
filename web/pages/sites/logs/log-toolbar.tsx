import type { Site } from '#shared/doctypes/site.ts'
import type { LogName } from '#shared/rules/site-logs.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { ViewChip } from '#web/ui/chip.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { ClearButton } from './clear-button.tsx'
import { DownloadButton } from './download-button.tsx'
import { logLevels, type LogLevel } from '#shared/rules/log-entries.ts'
import { t } from './messages.ts'

const names = {
  error: () => t('logs.level_error'),
  warning: () => t('logs.level_warning'),
  notice: () => t('logs.level_notice'),
  deprecated: () => t('logs.level_deprecated'),
  info: () => t('logs.level_info'),
} satisfies Record<LogLevel, () => string>

/** What the toolbar shows and changes. */
interface LogToolbarProps {
  site: Site
  log: LogName
  label: string
  counts: Readonly<Record<LogLevel, number>>
  /** None: all levels are shown. */
  levels: ReadonlySet<LogLevel>
  onLevels: (levels: ReadonlySet<LogLevel>) => void
  search: string
  onSearch: (search: string) => void
  isFolding: boolean
  onFold: (isFolding: boolean) => void
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  onCleared: () => void
}

/** Search, levels and switches of a log, its download, and emptying it. */
export function LogToolbar(props: LogToolbarProps) {
  const { site, log, label, counts, levels } = props
  const toggle = (level: LogLevel): void => {
    const next = new Set(levels)
    if (!next.delete(level)) next.add(level)
    props.onLevels(next)
  }
  return (
    <div className="grid gap-2 border-b border-hairline px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SearchInput label={t('logs.search')} text={props.search} onChange={props.onSearch} className="md:w-72" />
        <Switch label={t('logs.fold')} checked={props.isFolding} onChange={props.onFold} />
        <Switch label={t('logs.follow')} checked={props.isFollowing} onChange={props.onFollow} />
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0 max-md:w-full">
          <DownloadButton
            method="easydash.api.site.download_log"
            params={{ site: site.name, log }}
            failed={t('logs.download_failed')}
          />
          <ClearButton
            site={site}
            action="clear_log"
            args={{ log }}
            label={t('logs.clear')}
            title={t('logs.clear_title', { log: label })}
            text={t('logs.clear_text')}
            onCleared={() => {
              showToast({ title: t('logs.cleared'), variant: 'success' })
              props.onCleared()
            }}
          />
        </div>
      </div>
      <div role="group" aria-label={t('logs.levels')} className="flex flex-wrap items-center gap-1">
        {logLevels
          .filter((level) => counts[level] > 0 || levels.has(level))
          .map((level) => (
            <ViewChip key={level} active={levels.has(level)} count={counts[level]} onClick={() => toggle(level)}>
              {names[level]()}
            </ViewChip>
          ))}
      </div>
    </div>
  )
}
