import type { ServerService } from '#shared/responses/server-monitoring.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { verdictTones } from './verdict-tones.ts'

const names: Readonly<Record<string, string>> = {
  'docker.service': t('services.docker'),
  'ssh.service': t('services.ssh'),
  'cron.service': t('services.cron'),
  'fail2ban.service': t('services.fail2ban'),
  'ufw.service': t('services.ufw'),
  'easydash-metrics.timer': t('services.metrics'),
}

/** Services of the operating system that a server needs. */
export function ServicesCard({ services, isRead }: { services: readonly ServerService[] | null; isRead: boolean }) {
  return (
    <Card aria-labelledby="server-services">
      <CardHead id="server-services" title={t('services.title')} lined />
      {services === null ? (
        <CardBody className="pt-3 text-table text-muted">{t(isRead ? 'services.none' : 'services.unread')}</CardBody>
      ) : (
        <ul className="divide-y divide-hairline">
          {services.map((service) => (
            <ServiceLine key={service.unit} service={service} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ServiceLine({ service: { unit, state, verdict, since, restarts } }: { service: ServerService }) {
  return (
    <li className="flex min-h-10 items-start gap-3 px-4 py-2.5 text-table">
      <StatusIcon tone={verdictTones[verdict]} className="mt-px" />
      <span className="grid min-w-0 flex-1 gap-0.5 wrap-anywhere">
        <span className="font-medium">{names[unit] ?? unit}</span>
        {verdict === 'failed' && state !== 'missing' ? (
          <span className="text-muted">{t('services.why', { command: `journalctl -u ${unit}` })}</span>
        ) : null}
      </span>
      <span className="grid flex-none justify-items-end gap-0.5 text-right">
        <span>{t(`services.${state}`)}</span>
        <Time value={since} className="text-muted" format={(when) => t('services.since', { when })} />
        {restarts !== null && restarts > 0 ? (
          <span className="text-muted">{t('restarts', { count: restarts })}</span>
        ) : null}
      </span>
    </li>
  )
}
