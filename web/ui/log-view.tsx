import { Copy, Download, Search, SquareTerminal, X } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { Switch } from './form/switch.tsx'

/** A log line as displayed. */
export interface LogViewLine {
  key: number
  /** Formatted time of day. */
  time: string
  text: string
  tone: 'command' | 'good' | 'warning' | 'error' | 'plain'
  /** How often it occurred, if more than once: short, and in words. */
  times?: { readonly short: string; readonly words: string } | undefined
}

/** Texts of the log's controls. */
export interface LogViewLabels {
  title: string
  count: string
  follow: string
  search: string
  openSearch: string
  closeSearch: string
  matches: (count: number) => string
  copy: string
  download: string
  /** Shown if there are no lines. */
  empty: string
}

const tones = {
  command: 'text-[oklch(.8_.1_268)]',
  good: 'text-[oklch(.82_.13_155)]',
  warning: 'text-[oklch(.85_.12_82)]',
  error: 'text-[oklch(.8_.1_22)]',
  plain: '',
} as const

/** Distance from the end that still counts as following it, in px. */
const followThresholdPx = 24

/**
 * A streamed log, dark in both themes. Follows the end until the user scrolls up; can be searched, copied and downloaded.
 */
export function LogView({
  lines,
  labels,
  onCopy,
  onDownload,
  note,
  filters,
}: {
  lines: readonly LogViewLine[]
  labels: LogViewLabels
  onCopy: () => void
  onDownload: () => void
  note?: ReactNode
  /** Below the bar, e.g. levels. */
  filters?: ReactNode
}) {
  const [follow, setFollow] = useState(true)
  const [query, setQuery] = useState<string | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const wanted = query?.trim().toLowerCase() ?? ''
  const shown = wanted === '' ? lines : lines.filter((line) => line.text.toLowerCase().includes(wanted))

  useEffect(() => {
    const element = box.current
    if (follow && element) element.scrollTop = element.scrollHeight
  }, [follow, shown.length])

  return (
    <div className="flex min-h-40 flex-1 flex-col overflow-hidden bg-log-bg text-log-dim">
      <div className="flex h-10 flex-none items-center gap-1 border-y border-t-border border-b-[oklch(1_0_0/.08)] pr-3 pl-5 text-meta">
        {query === null ? (
          <>
            <SquareTerminal size={14} strokeWidth={1.75} aria-hidden="true" className="mr-1" />
            <span>{labels.title}</span>
            <span className="ml-2 whitespace-nowrap">{labels.count}</span>
          </>
        ) : (
          <label className="flex min-w-0 flex-1 items-center gap-2">
            <Search size={14} strokeWidth={1.75} aria-hidden="true" />
            <input
              // The user pressed "search" and is about to type.
              autoFocus
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return
                event.stopPropagation()
                setQuery(null)
              }}
              aria-label={labels.search}
              placeholder={labels.search}
              className="h-8 min-w-0 flex-1 bg-transparent text-log-fg outline-none placeholder:text-log-dim"
            />
            {wanted === '' ? null : (
              <span role="status" className="whitespace-nowrap">
                {labels.matches(shown.length)}
              </span>
            )}
          </label>
        )}
        <span className="ml-auto flex items-center gap-1">
          {query === null ? (
            <>
              <Switch label={labels.follow} checked={follow} onChange={setFollow} />
              <BarButton label={labels.openSearch} onClick={() => setQuery('')}>
                <Search size={14} strokeWidth={1.75} aria-hidden="true" />
              </BarButton>
              <BarButton label={labels.copy} onClick={onCopy}>
                <Copy size={14} strokeWidth={1.75} aria-hidden="true" />
              </BarButton>
              <BarButton label={labels.download} onClick={onDownload}>
                <Download size={14} strokeWidth={1.75} aria-hidden="true" />
              </BarButton>
            </>
          ) : (
            <BarButton label={labels.closeSearch} onClick={() => setQuery(null)}>
              <X size={14} strokeWidth={1.75} aria-hidden="true" />
            </BarButton>
          )}
        </span>
      </div>
      {filters}
      <div
        ref={box}
        // Scrollable regions must be reachable by keyboard.
        tabIndex={0}
        role="region"
        aria-label={labels.title}
        onScroll={(event) => {
          const element = event.currentTarget
          const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < followThresholdPx
          if (atEnd !== follow) setFollow(atEnd)
        }}
        className="flex-1 overflow-auto py-2.5 font-mono text-meta leading-[18px] tracking-[-.01em] text-log-fg focus-visible:outline-offset-[-2px]"
      >
        {shown.map((line) => (
          <div key={line.key} className="grid grid-cols-[76px_minmax(0,1fr)] px-5 max-md:grid-cols-1">
            <span className="text-log-dim select-none max-md:hidden">{line.time}</span>
            <span
              lang="en"
              translate="no"
              className={cx('[overflow-wrap:anywhere] whitespace-pre-wrap', tones[line.tone])}
            >
              {line.times ? (
                <span
                  className="mr-2 rounded-xs bg-[oklch(1_0_0/.12)] px-1 font-sans text-log-fg"
                  title={line.times.words}
                >
                  {line.times.short}
                </span>
              ) : null}
              {line.text}
            </span>
          </div>
        ))}
        {shown.length === 0 && wanted === '' ? <p className="px-5 text-log-dim">{labels.empty}</p> : null}
        {note ? <p className="px-5 text-[oklch(.85_.12_82)]">{note}</p> : null}
      </div>
    </div>
  )
}

function BarButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="grid size-7 place-items-center rounded-xs hover:bg-[oklch(1_0_0/.08)] touch:size-11"
    >
      {children}
    </button>
  )
}
