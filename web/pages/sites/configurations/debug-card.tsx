import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { t } from './messages.ts'

/** Debug mode of a WordPress site, with the time it has left. */
export function DebugCard({ site }: { site: Site }) {
  const now = useNow(15_000)
  const until = parseTime(site.debug_until)?.getTime() ?? null
  const isOn = until !== null && until > now
  const doc = { ...site, doctype: 'Site' }
  return (
    <Card aria-label={t('debug.title')}>
      <CardHead title={t('debug.title')} subtitle={stateText(until, now)} />
      <CardBody className="grid justify-items-start gap-3">
        <p className="-mt-2 text-table text-muted">{t('debug.hint')}</p>
        <div className="flex flex-wrap gap-2">
          <ActionButton
            type={SiteDoctype}
            doc={doc}
            name="set_debug"
            label={t(isOn ? 'debug.turn_off' : 'debug.turn_on')}
            args={{ enabled: isOn ? 0 : 1 }}
            fields={{ hours: { label: t('debug.off_after'), choices: choices() } }}
            asks={!isOn}
            size="md"
          />
        </div>
      </CardBody>
    </Card>
  )
}

/** Hours by what they are called. */
const choices = () => [
  { value: '1', label: t('debug.1_hour') },
  { value: '4', label: t('debug.4_hours') },
  { value: '24', label: t('debug.24_hours') },
  { value: '168', label: t('debug.7_days') },
]

/** Whole minutes: the seconds of a duration would count down in jumps. */
function stateText(until: number | null, now: number): string {
  if (until === null) return t('debug.off')
  if (until <= now) return t('debug.ending')
  return t('debug.on', { left: formatDuration(Math.ceil((until - now) / 60_000) * 60) })
}
