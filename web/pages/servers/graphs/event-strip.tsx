import { useState } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { t } from './messages.ts'
import { timeText } from './metric-times.ts'
import { axisWidth } from './plot-options.ts'

/** An activity of the server in the graphs. */
export interface GraphEvent {
  /** Name of its activity entry. */
  readonly name: string
  /** Seconds since 1970. */
  readonly at: number
  readonly text: string
}

/** Events closer to each other share a label, as a part of the width. */
const shareWithin = 0.16
/** A gap with a label is at least this part of the width. */
const namedGap = 0.04

/** Labels of events and gaps above a column of graphs, at their times. */
export function EventStrip({
  span: [from, to],
  events,
  gaps,
  hidden = false,
}: {
  span: readonly [number, number]
  /** Oldest first. */
  events: readonly GraphEvent[]
  /** Times without samples. */
  gaps: readonly (readonly [from: number, to: number])[]
  /** The same labels are above another column. */
  hidden?: boolean
}) {
  const place = (at: number) => (at - from) / Math.max(1, to - from)
  const isShown = (part: number) => part >= 0 && part <= 1
  const groups: GraphEvent[][] = []
  for (const event of events.filter(({ at }) => isShown(place(at)))) {
    const group = groups.at(-1)
    const [first] = group ?? []
    if (group && first && place(event.at) - place(first.at) < shareWithin) group.push(event)
    else groups.push([event])
  }
  return (
    <div
      aria-hidden={hidden}
      className={cx('relative h-7 text-meta', hidden && 'max-lg:hidden')}
      style={{ marginInlineStart: 17, marginInlineEnd: axisWidth + 1 }}
    >
      {gaps
        .filter((gap) => place(gap[1]) - place(gap[0]) > namedGap && gap.some((end) => isShown(place(end))))
        .map((gap) => (
          <span
            key={gap[0]}
            className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap text-muted max-md:hidden"
            style={{ left: percent((place(gap[0]) + place(gap[1])) / 2) }}
          >
            {t('graphs.no_data')}
          </span>
        ))}
      {groups.map((group) => (
        <EventLabel key={group[0]?.name} group={group} left={place(group[0]?.at ?? from)} hidden={hidden} />
      ))}
    </div>
  )
}

const percent = (part: number): string => `${Math.min(100, Math.max(0, part * 100))}%`

/** One event, or some that are close to each other; a dot on phones. */
function EventLabel({ group, left, hidden }: { group: readonly GraphEvent[]; left: number; hidden: boolean }) {
  const [open, setOpen] = useState(false)
  const label = group.length === 1 ? (group[0]?.text ?? '') : t('events.many', { count: group.length })
  return (
    // At the ends, the label stays within the strip.
    <span className="absolute top-0" style={{ left: percent(left), translate: `${-percentOf(left)}% 0` }}>
      <Popover
        open={open}
        onOpenChange={setOpen}
        label={label}
        trigger={
          <button
            type="button"
            tabIndex={hidden ? -1 : undefined}
            aria-label={label}
            className="grid h-6 min-w-6 place-items-center max-md:size-7"
          >
            <span className="block max-w-40 truncate rounded-full border border-border bg-surface px-2 leading-[18px] font-medium max-md:size-2.5 max-md:border-muted max-md:p-0">
              <span className="max-md:sr-only">{label}</span>
            </span>
          </button>
        }
      >
        <ul className="grid max-h-72 gap-2 overflow-y-auto">
          {group.map(({ name, at, text }) => (
            <li key={name}>
              <span className="block text-meta text-muted">{timeText(at)}</span>
              <Link
                to={{ search: `?activity=${encodeURIComponent(name)}`, hash: '#activities' }}
                className="link wrap-anywhere"
              >
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </Popover>
    </span>
  )
}

/** How far a label is moved to the left of its time, in percent of its width. */
const percentOf = (left: number): number => (left < 0.08 ? 0 : left > 0.92 ? 100 : 50)
