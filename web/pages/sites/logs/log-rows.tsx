import { memo, useEffect, useRef, useState, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import type { LogEntry, LogLevel } from '#shared/rules/log-entries.ts'
import type { LogPage } from './log-pages.ts'
import { t } from './messages.ts'

/** Colors on the dark background of logs, in both themes. */
const tones: Readonly<Record<LogLevel, string>> = {
  error: 'text-[oklch(.8_.1_22)]',
  warning: 'text-[oklch(.85_.12_82)]',
  notice: 'text-[oklch(.8_.1_268)]',
  deprecated: 'text-[oklch(.82_.09_310)]',
  info: 'text-log-dim',
}

const names = {
  error: () => t('logs.one_error'),
  warning: () => t('logs.one_warning'),
  notice: () => t('logs.one_notice'),
  deprecated: () => t('logs.one_deprecated'),
  info: () => t('logs.one_info'),
} satisfies Record<LogLevel, () => string>

/** Distance from the end that still counts as following it, in px. */
const followThresholdPx = 24

/** The lines of a log, dark in both themes. Follows the end until the user scrolls up. */
export function LogRows({
  label,
  parts,
  partial,
  hasEarlier,
  onEarlier,
  earlier,
  isFollowing,
  onFollow,
  empty,
}: {
  label: string
  parts: readonly { readonly gap: LogPage['gap']; readonly entries: readonly LogEntry[] }[]
  partial: string
  hasEarlier: boolean
  onEarlier: () => Promise<void>
  /** What `onEarlier` does. */
  earlier: string
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  /** Shown instead of entries. */
  empty: string | null
}) {
  const box = useRef<HTMLDivElement>(null)
  const [isBusy, setBusy] = useState(false)
  const content = useRef<HTMLDivElement>(null)
  /** Where the user, or following the end, scrolled to. */
  const top = useRef(0)
  useEffect(() => {
    const [element, lines] = [box.current, content.current]
    if (!isFollowing || !element || !lines) return
    const toEnd = () => {
      element.scrollTop = element.scrollHeight
    }
    toEnd()
    // Lines get their heights when they come into view, which moves the end.
    const observer = new ResizeObserver(toEnd)
    observer.observe(lines)
    return () => observer.disconnect()
  }, [isFollowing, parts, partial])

  const readEarlier = async (): Promise<void> => {
    // What is read appears above, so following the end would hide it.
    onFollow(false)
    setBusy(true)
    await onEarlier()
    setBusy(false)
  }
  return (
    <div
      ref={box}
      // Scrollable regions must be reachable by keyboard.
      tabIndex={0}
      role="log"
      // Each line would be read aloud: the number of entries is announced instead.
      aria-live="off"
      aria-label={label}
      onScroll={(event) => {
        const element = event.currentTarget
        const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < followThresholdPx
        if (!isAtEnd && isFollowing && element.scrollTop < top.current) onFollow(false)
        top.current = element.scrollTop
      }}
      className="h-[60vh] min-h-80 overflow-auto bg-log-bg py-2.5 font-mono text-meta leading-[18px] tracking-[-.01em] text-log-fg focus-visible:outline-offset-[-2px]"
    >
      <div ref={content}>
        {hasEarlier ? (
          <p className="px-4 pb-2">
            <button
              type="button"
              disabled={isBusy}
              aria-busy={isBusy}
              onClick={() => void readEarlier()}
              className="rounded-xs px-2 py-1 font-sans text-log-fg underline underline-offset-2 disabled:opacity-60 touch:min-h-11"
            >
              {earlier}
            </button>
          </p>
        ) : (
          <Mark>{t('logs.begins')}</Mark>
        )}
        {parts.map(({ gap, entries }, index) => (
          <div key={entries[0]?.key ?? `gap-${index}`}>
            {gap === null || gap === 'skipped' ? null : (
              <Mark>{t(gap === 'emptied' ? 'logs.emptied' : 'logs.removed')}</Mark>
            )}
            {entries.map((entry) => (
              <LogRow key={entry.key} entry={entry} />
            ))}
          </div>
        ))}
        {partial === '' ? null : (
          <p className="px-4 text-log-dim" title={t('logs.partial')} lang="en" translate="no">
            {partial}
          </p>
        )}
        {empty === null ? null : <p className="px-4 font-sans text-log-dim">{empty}</p>}
      </div>
    </div>
  )
}

function Mark({ children }: { children: ReactNode }) {
  return <p className="px-4 pb-1 font-sans text-log-dim">{children}</p>
}

/** An entry. Off-screen ones cost no layout. */
const LogRow = memo(function LogRow({ entry }: { entry: LogEntry }) {
  const { level, at, text, count, since } = entry
  const time = at === null ? '' : formatAbsolute(new Date(at))
  return (
    <div className="grid grid-cols-[178px_84px_minmax(0,1fr)] px-4 [contain-intrinsic-size:auto_18px] [content-visibility:auto] hover:bg-[oklch(1_0_0/.05)] max-md:grid-cols-1 max-md:py-1">
      <span className="truncate text-log-dim">{time}</span>
      <span className={cx('flex gap-2 font-sans', tones[level])}>
        {names[level]()}
        {count > 1 ? (
          <span
            className="self-start rounded-xs bg-[oklch(1_0_0/.12)] px-1 text-log-fg md:order-first"
            title={since === null ? undefined : t('logs.times_since', { count, time: formatAbsolute(new Date(since)) })}
          >
            {t('logs.times', { count })}
          </span>
        ) : null}
      </span>
      <span
        lang="en"
        translate="no"
        className={cx('[overflow-wrap:anywhere] whitespace-pre-wrap', level === 'info' ? '' : tones[level])}
      >
        {text}
      </span>
    </div>
  )
})
