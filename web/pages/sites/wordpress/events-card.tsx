import { wordpressChanged, type WordPressEvent, type WordPressFacts } from '#shared/responses/wordpress.ts'
import { lateEventSeconds } from '#shared/rules/scheduled-events.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatDuration, formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { Identifier } from '#web/ui/identifier.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { apiTime } from './api-time.ts'
import type { WordPress } from './use-wordpress.ts'

/** What WordPress runs in the background, and when. */
export function EventsCard({ wordpress, facts }: { wordpress: WordPress; facts: WordPressFacts }) {
  const { changing, change } = wordpress
  const lacking = wordpress.heldFor('run_cron')
  const held = wordpress.held ?? lacking
  const { paused, rows, total } = facts.events
  const now = useNow(30_000)
  const off = { 'aria-disabled': held === null ? undefined : true, title: held ?? undefined } as const
  const run = async (action: string, args: Record<string, unknown>, key: string) => {
    if (held !== null) return
    const result = await change(action, args, { key, returns: wordpressChanged })
    if (result !== null && result !== true && result.ran !== null)
      showToast({ title: t('events.ran', { count: result.ran }), variant: 'success' })
  }
  return (
    <Card aria-labelledby="wordpress-events">
      <CardHead id="wordpress-events" title={t('events.title')} subtitle={String(total)} lined>
        <Button
          size="md"
          busy={changing === 'pause'}
          onClick={() => void run('pause_scheduled_events', { paused: paused ? 0 : 1 }, 'pause')}
          {...off}
        >
          {t(paused ? 'events.resume' : 'events.pause')}
        </Button>
        {paused ? null : (
          <Button size="md" busy={changing === 'due'} onClick={() => void run('run_due_events', {}, 'due')} {...off}>
            {t('events.run_due')}
          </Button>
        )}
      </CardHead>
      <p className="px-4 pt-2.5 text-meta text-muted">{lacking ?? t(paused ? 'events.paused' : 'events.hint')}</p>
      {rows.length === 0 ? (
        <CardBody className="pt-2.5 text-table text-muted">{t('events.none')}</CardBody>
      ) : (
        <ul
          className="mt-1 max-h-96 divide-y divide-hairline overflow-y-auto"
          tabIndex={0}
          aria-label={t('events.title')}
        >
          {rows.map((event) => (
            <EventLine
              key={event.id}
              event={event}
              late={!paused && event.at * 1000 < now - lateEventSeconds * 1000}
              busy={changing === event.id}
              off={off}
              onRun={() => void run('run_cron', { hook: event.hook, event: event.id }, event.id)}
            />
          ))}
        </ul>
      )}
      {total > rows.length ? (
        <p className="px-4 py-2 text-meta text-muted">
          {t('events.more', { shown: formatNumber(rows.length), total: formatNumber(total) })}
        </p>
      ) : null}
    </Card>
  )
}

function EventLine({
  event,
  late,
  busy,
  off,
  onRun,
}: {
  event: WordPressEvent
  late: boolean
  busy: boolean
  off: { readonly 'aria-disabled': true | undefined; readonly title: string | undefined }
  onRun: () => void
}) {
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="font-mono text-meta">
          <Identifier name={event.hook} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-meta text-muted">
          <Time value={apiTime(event.at)} format={(when) => t('events.due', { when })} />
          <span>
            {event.interval_seconds === null
              ? t('events.once')
              : t('events.every', { interval: formatDuration(event.interval_seconds) })}
          </span>
          {late ? <Tag tone="warn">{t('events.late')}</Tag> : null}
        </p>
      </div>
      <Button size="sm" busy={busy} aria-label={t('events.run_of', { hook: event.hook })} onClick={onRun} {...off}>
        {t('events.run')}
      </Button>
    </li>
  )
}
