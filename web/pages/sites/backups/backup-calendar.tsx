import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { dayFilters, dayOf, dayPlus } from '#web/documents/activity/activity-dates.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { once } from '#web/lib/browser/once.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { formatDay, parseTime } from '#web/lib/i18n/format-day.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { StatusIcon, type Tone } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** Of one list: hourly backups of a month do not fit in one, so each half is read by itself. */
const mostRows = 500

type Listed = Partial<Pick<SiteBackup, 'status' | 'proof'>>

/** What the backups of a day are worth together; null: there is none. One of which nothing is left is none. */
function verdictOf(
  backups: readonly Listed[],
): { tone: Tone; text: 'failed' | 'proven' | 'working' | 'unproven' } | null {
  const kept = backups.filter(({ status }) => status !== 'Expired')
  if (kept.length === 0) return null
  if (kept.some(({ status, proof }) => status === 'Failed' || proof === 'Failed'))
    return { tone: 'bad', text: 'failed' }
  if (kept.every(({ proof }) => proof === 'Proven')) return { tone: 'ok', text: 'proven' }
  if (kept.some(({ status }) => status === 'Queued' || status === 'Running')) return { tone: 'info', text: 'working' }
  return { tone: 'warn', text: 'unproven' }
}

/** 1 is Monday. */
const firstWeekday = (): number =>
  (new Intl.Locale(locale) as { getWeekInfo?(): { firstDay: number } }).getWeekInfo?.().firstDay ?? 1
const weekday = once(() => new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }))
const monthTitle = once(() => new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }))

const utc = (day: string): Date => new Date(`${day}T00:00:00Z`)
/** The first day of the month that a day is in, or of one so many months later. */
function monthOf(day: string, later = 0): string {
  const at = utc(`${day.slice(0, 7)}-01`)
  at.setUTCMonth(at.getUTCMonth() + later)
  return at.toISOString().slice(0, 10)
}

/** The weeks of a month, with the days before and after it that complete them. */
function weeksOf(month: string): string[][] {
  const end = monthOf(month, 1)
  const before = (utc(month).getUTCDay() - firstWeekday() + 7) % 7
  const weeks: string[][] = []
  for (let day = dayPlus(month, -before); day < end; day = dayPlus(day, 7))
    weeks.push(Array.from({ length: 7 }, (_, at) => dayPlus(day, at)))
  return weeks
}

const useBackups = (site: string, from: string, to: string) =>
  useList('Site Backup', {
    fields: ['name', 'creation', 'status', 'proof'],
    filters: [['site', '=', site], ...dayFilters({ from, to })],
    order_by: 'creation desc',
    limit: mostRows,
  })

/** A month with the verdict about the backups of each day, which can be chosen. */
export function BackupCalendar({
  site,
  day,
  onDay,
}: {
  site: string
  /** The chosen day, `YYYY-MM-DD` in the user's time zone. */
  day: string | null
  onDay: (day: string | null) => void
}) {
  const today = dayOf(useNow(60_000))
  const [month, setMonth] = useState(() => monthOf(day ?? today))
  const halves = [
    useBackups(site, month, dayPlus(month, 14)),
    useBackups(site, dayPlus(month, 15), dayPlus(monthOf(month, 1), -1)),
  ]
  const isRead = halves.every(({ data }) => data !== undefined)
  const failed = halves.find(({ data, error }) => error && !data)
  const backups = halves.flatMap(({ data }) => data ?? [])
  const byDay = Map.groupBy(backups, ({ creation }) => dayOf(parseTime(creation)?.getTime() ?? 0))
  const [first = []] = weeksOf(month)
  return (
    <Card aria-labelledby="backup-calendar">
      <CardHead id="backup-calendar" title={monthTitle().format(utc(month))}>
        <IconButton size="md" label={t('calendar.before')} onClick={() => setMonth(monthOf(month, -1))}>
          <ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
        <IconButton
          size="md"
          label={t('calendar.after')}
          disabled={month >= monthOf(today)}
          onClick={() => setMonth(monthOf(month, 1))}
        >
          <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </CardHead>
      <CardBody>
        {failed?.error ? (
          <ErrorPanel title={t('backups.error')} error={failed.error} onRetry={() => void failed.reload()} />
        ) : (
          <table
            aria-label={t('calendar.table', { month: monthTitle().format(utc(month)) })}
            aria-busy={!isRead}
            className="w-full table-fixed text-center text-meta tabular-nums"
          >
            <thead className="text-muted">
              <tr>
                {first.map((one) => (
                  <th key={one} scope="col" className="pb-1 font-medium">
                    {weekday().format(utc(one))}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeksOf(month).map((week) => (
                <tr key={week[0]}>
                  {week.map((one) => (
                    <td key={one} className="p-px">
                      {monthOf(one) === month ? (
                        <Day
                          day={one}
                          isToday={one === today}
                          isChosen={one === day}
                          backups={byDay.get(one) ?? []}
                          onChoose={() => onDay(one === day ? null : one)}
                        />
                      ) : null}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {halves.some(({ data }) => data?.length === mostRows) ? (
          <p className="mt-2 text-meta text-muted">{t('calendar.more')}</p>
        ) : null}
      </CardBody>
    </Card>
  )
}

function Day({
  day,
  isToday,
  isChosen,
  backups,
  onChoose,
}: {
  day: string
  isToday: boolean
  isChosen: boolean
  backups: readonly Listed[]
  onChoose: () => void
}) {
  const verdict = verdictOf(backups)
  const number = (
    <span className={isToday ? 'font-semibold underline underline-offset-2' : ''}>{Number(day.slice(8))}</span>
  )
  const look = 'flex h-9 w-full flex-col items-center justify-center gap-0.5 rounded-ctl touch:h-11'
  if (verdict === null) return <span className={cx(look, 'justify-start pt-1 text-muted')}>{number}</span>
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-label={t(`calendar.${verdict.text}`, { day: formatDay(day), count: backups.length })}
      title={t(`calendar.${verdict.text}`, { day: formatDay(day), count: backups.length })}
      onClick={onChoose}
      className={cx(look, 'hover:bg-hover', isChosen && 'bg-brand-bg text-brand-text ring-1 ring-brand')}
    >
      {number}
      <StatusIcon tone={verdict.tone} size={12} />
    </button>
  )
}
