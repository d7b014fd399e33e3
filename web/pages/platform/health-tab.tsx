import type { ReactNode } from 'react'
import { health as schema, type Health } from '#shared/responses/health.ts'
import { formatBytes, formatClock, formatDuration, formatMoney, formatNumber } from '#web/lib/i18n/format.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Meter } from '#web/ui/meter.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { formatAge, healthSummary, screenshotsText, wordpressText } from './health-text.ts'
import { platformMethod } from './methods.ts'
import { t } from './messages.ts'

/** Health of the installation: database, queue, disk, memory, mail, versions. Refetched every 10 seconds. */
export function HealthTab() {
  const health = useMethod(platformMethod('health'), {}, { refreshInterval: 10_000, returns: schema })
  if (health.error && !health.data)
    return <ErrorPanel title={t('health.error')} error={health.error} onRetry={() => health.reload()} />
  return (
    <>
      <SummaryCards items={healthSummary(health.data)} />
      <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {health.data ? (
          <Parts health={health.data} />
        ) : (
          Array.from({ length: 6 }, (_, index) => <Skeleton key={index} className="h-48 w-full rounded-card" />)
        )}
      </div>
      {health.data ? (
        <p className="mt-3 text-meta text-muted">
          {t(health.error ? 'health.stale' : 'health.read', {
            time: formatClock(health.loadedAt === null ? null : new Date(health.loadedAt)),
          })}
        </p>
      ) : null}
    </>
  )
}

function Parts({ health }: { health: Health }) {
  const { database, migrations, disk, memory, queue, mail, payments, errors, pictures: screenshots } = health
  const number = (value: number | null) => (value === null ? t('common.none') : formatNumber(value))
  const size = (value: number | null) => (value === null ? t('common.none') : formatBytes(value))
  return (
    <>
      <Part
        title={t('health.database')}
        ok={database.ok && migrations.ok}
        details={[
          { label: t('health.version'), value: database.version ?? t('common.none') },
          { label: t('health.answered'), value: t('health.ms', { n: formatNumber(database.took_ms) }) },
          { label: t('health.size'), value: size(database.size_bytes) },
          { label: t('health.connections'), value: number(database.connections) },
          {
            label: t('health.schema'),
            value: t(migrations.ok ? 'health.schema_current' : 'health.schema_old', {
              n: migrations.schema_version,
            }),
          },
        ]}
      />
      <Part
        title={t('health.queue')}
        ok={queue.ok}
        details={[
          { label: t('health.queued'), value: number(queue.queued) },
          { label: t('health.oldest'), value: formatAge(queue.oldest_queued_seconds) },
          { label: t('health.running'), value: number(queue.running) },
          { label: t('health.lost'), value: number(queue.lost_contact) },
          { label: t('health.failed_day'), value: number(queue.failed_24h) },
        ]}
      />
      <Part
        title={t('health.disk')}
        ok={disk.ok}
        details={[
          { label: t('health.free'), value: size(disk.free_bytes) },
          { label: t('health.total'), value: size(disk.total_bytes) },
        ]}
      >
        {disk.free_bytes !== null && disk.total_bytes ? (
          <Meter className="mb-3" label={t('health.disk_used')} fraction={1 - disk.free_bytes / disk.total_bytes} />
        ) : null}
      </Part>
      <Part
        title={t('health.memory')}
        details={[
          { label: t('health.process'), value: size(memory.process_bytes) },
          { label: t('health.heap'), value: size(memory.heap_bytes) },
          ...(memory.web_processes.length === 0
            ? []
            : [{ label: t('health.web_processes'), value: memory.web_processes.map(size).join(' + ') }]),
          { label: t('health.free'), value: size(memory.system_free_bytes) },
          { label: t('health.total'), value: size(memory.system_total_bytes) },
        ]}
      >
        <Meter
          className="mb-3"
          label={t('health.memory_used')}
          fraction={1 - memory.system_free_bytes / memory.system_total_bytes}
        />
      </Part>
      <Part
        title={t('health.mail')}
        // Without SMTP no mail is delivered, so don't show it as healthy.
        {...(mail.ok && !mail.smtp ? {} : { ok: mail.ok })}
        details={[
          { label: t('health.smtp'), value: t(mail.smtp ? 'health.smtp_set' : 'health.smtp_none') },
          { label: t('health.queued'), value: number(mail.queued) },
          { label: t('health.delayed'), value: number(mail.delayed) },
          { label: t('health.oldest'), value: formatAge(mail.oldest_queued_seconds) },
          { label: t('health.failed'), value: number(mail.failed) },
          { label: t('health.kept'), value: number(mail.kept) },
        ]}
      />
      {payments ? <Payments payments={payments} /> : null}
      <Part
        title={t('health.program')}
        details={[
          { label: t('health.version'), value: health.version },
          { label: t('health.node'), value: health.node },
          { label: t('health.uptime'), value: formatDuration(health.uptime_seconds) },
          {
            label: t('health.errors_hour'),
            value: errors === null ? t('common.none') : formatNumber(errors.last_hour),
          },
          {
            label: t('health.last_error'),
            value: errors?.last_at ? <Time variant="detail" value={errors.last_at} /> : t('common.none'),
          },
          { label: t('health.wordpress'), value: wordpressText(health.wordpress_cache) },
          { label: t('health.screenshots'), value: screenshotsText(screenshots) },
        ]}
      />
    </>
  )
}

function Payments({ payments }: { payments: NonNullable<Health['payments']> }) {
  const { ok, last_event, waiting_events, unpaid, granted, income } = payments
  return (
    <Part
      title={t('health.payments')}
      ok={ok}
      details={[
        {
          label: t('health.last_event'),
          value: last_event ? <Time variant="detail" value={last_event} /> : t('common.none'),
        },
        { label: t('health.events_waiting'), value: formatNumber(waiting_events) },
        { label: t('health.unpaid'), value: formatNumber(unpaid) },
        { label: t('health.granted'), value: formatNumber(granted) },
        ...income.map(({ plan, organizations, amount, currency }) => ({
          label: t('health.income', { plan, count: formatNumber(organizations) }),
          value: t('health.income_month', { amount: formatMoney(amount, currency) }),
        })),
      ]}
    />
  )
}

function Part({
  title,
  ok,
  details,
  children,
}: {
  title: string
  /** Absent: no health state. */
  ok?: boolean
  details: readonly Detail[]
  children?: ReactNode
}) {
  return (
    <Card>
      <CardHead title={title}>
        {ok === undefined ? null : (
          <StatusPill tone={ok ? 'ok' : 'bad'} inset={!ok}>
            {t(ok ? 'health.ok' : 'health.not_ok')}
          </StatusPill>
        )}
      </CardHead>
      <CardBody>
        {children}
        <DetailList details={details} />
      </CardBody>
    </Card>
  )
}
