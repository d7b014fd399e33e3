import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { dayOf, dayPlus, readDay, type DayRange } from './activity-dates.ts'
import { t } from './messages.ts'

/** The day range in the URL and its setter. */
export function useDayRange(): [DayRange, (range: DayRange) => void] {
  const [params, setParams] = useSearchParams()
  const range = { from: readDay(params.get('from')), to: readDay(params.get('to')) }
  return [
    range,
    (next) =>
      setParams((current) => {
        const wanted = new URLSearchParams(current)
        wanted.delete('page')
        for (const end of ['from', 'to'] as const) {
          const day = next[end]
          if (day) wanted.set(end, day)
          else wanted.delete(end)
        }
        return wanted
      }),
  ]
}

function formatDayRange({ from, to }: DayRange): string {
  if (from && to) return from === to ? formatDay(from) : t('dates.range', { from: formatDay(from), to: formatDay(to) })
  if (from) return t('dates.since', { day: formatDay(from) })
  return to ? t('dates.until', { day: formatDay(to) }) : t('dates.any')
}

/** Day range of an activity list: presets, or any first and last day. */
export function ActivityRange() {
  const [range, setRange] = useDayRange()
  const [open, setOpen] = useState(false)
  const today = dayOf(useNow(60_000))
  const usual = [
    ['dates.any', { from: null, to: null }],
    ['dates.today', { from: today, to: null }],
    ['dates.week', { from: dayPlus(today, -6), to: null }],
    ['dates.month', { from: dayPlus(today, -29), to: null }],
  ] as const
  return (
    <Popover
      label={t('dates.label')}
      open={open}
      onOpenChange={setOpen}
      align="end"
      trigger={
        <Button size="md" className="h-8! max-md:h-11!">
          <CalendarDays size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
          <span className="sr-only">{`${t('dates.label')}: `}</span>
          {formatDayRange(range)}
        </Button>
      }
    >
      <div className="grid gap-3">
        <div className="grid grid-cols-2 gap-2">
          {usual.map(([label, days]) => (
            <Button
              key={label}
              size="md"
              aria-pressed={days.from === range.from && days.to === range.to}
              className="aria-pressed:border-brand aria-pressed:bg-brand-bg"
              onClick={() => {
                setRange(days)
                setOpen(false)
              }}
            >
              {t(label)}
            </Button>
          ))}
        </div>
        <div className="grid gap-2">
          {(['from', 'to'] as const).map((end) => (
            <Field key={end} label={t(`dates.${end}`)}>
              <Input
                type="date"
                value={range[end] ?? ''}
                min={end === 'to' ? (range.from ?? undefined) : undefined}
                max={end === 'from' ? (range.to ?? today) : today}
                onChange={(event) => setRange({ ...range, [end]: readDay(event.target.value) })}
              />
            </Field>
          ))}
        </div>
      </div>
    </Popover>
  )
}
