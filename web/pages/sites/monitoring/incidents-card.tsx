import type { Activity } from '#shared/doctypes/activity.ts'
import type { UptimeIncident } from '#shared/responses/uptime.ts'
import { activityTitle, withDetail } from '#web/documents/activity/activity-text.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { formatAbsolute, formatDuration, formatRelative, secondsBetween } from '#web/lib/i18n/format.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { t } from './messages.ts'

/** Fields of an activity entry that the tab reads. */
export const changeFields = ['name', 'creation', 'action', 'detail', 'detail_i18n', 'result'] as const

/** An activity entry of the site. */
export type SiteChange = Pick<Activity, (typeof changeFields)[number]>

/** When the site was down, why, and what was changed before. */
export function IncidentsCard({
  incidents,
  changes,
}: {
  incidents: readonly UptimeIncident[]
  /** By name. */
  changes: ReadonlyMap<string, SiteChange>
}) {
  const now = useNow(30_000)
  return (
    <Card aria-labelledby="uptime-incidents">
      <CardHead id="uptime-incidents" title={t('incidents.title')} lined />
      {incidents.length === 0 ? (
        <CardBody className="pt-3 text-table text-muted">{t('incidents.none')}</CardBody>
      ) : (
        <ul className="divide-y divide-hairline">
          {incidents.map((incident) => (
            <IncidentLine
              key={incident.started}
              incident={incident}
              change={incident.change === null ? null : changes.get(incident.change)}
              now={now}
            />
          ))}
        </ul>
      )}
    </Card>
  )
}

function IncidentLine({
  incident: { started, ended, reason, reason_i18n },
  change,
  now,
}: {
  incident: UptimeIncident
  /** Null if there was none, undefined if it can't be read. */
  change: SiteChange | null | undefined
  now: number
}) {
  const text = localizedText(reason, reason_i18n)
  const time = formatDuration(secondsBetween(started, ended, now))
  return (
    <li className="grid gap-0.5 px-4 py-2.5 text-table">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
        <span className="wrap-anywhere" lang={text.lang}>
          {text.text}
        </span>
        {ended === null ? <Tag tone="bad">{t('incidents.open')}</Tag> : null}
      </p>
      <p className="text-meta text-muted">
        {formatAbsolute(started)} · {t(ended === null ? 'incidents.since' : 'incidents.lasted', { time })}
      </p>
      {change === null ? (
        <p className="text-meta text-muted">{t('incidents.no_change')}</p>
      ) : change ? (
        <p className="text-meta wrap-anywhere">
          <Link to={{ search: `?activity=${encodeURIComponent(change.name)}`, hash: '#activities' }} className="link">
            {t('incidents.change', { change: changeText(change), when: formatRelative(change.creation, now) })}
          </Link>
        </p>
      ) : null}
    </li>
  )
}

/** What a change was. */
export function changeText(change: SiteChange): string {
  return withDetail(activityTitle(change.action ?? ''), change)
}
