import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { metricInterval } from '#shared/rules/metric-ranges.ts'
import { serverMonitoring } from '#shared/responses/server-monitoring.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { Alerts } from './alerts.tsx'
import { ChecksCard } from './checks-card.tsx'
import { ContainersCard } from './containers-card.tsx'
import { t } from './messages.ts'
import { ServicesCard } from './services-card.tsx'

/** Whether a server is safe to leave alone: what is found there now, and what its alert rules found. */
export function MonitoringTab({ server }: { server: Server }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Observed server={server} />
      <Alerts server={server} />
    </div>
  )
}

/** Its checks, its services and its containers, read there now. */
function Observed({ server }: { server: Server }) {
  const isWatched = ServerDoctype.actions?.get_monitoring.from?.some((status) => status === server.status)
  const read = useMethod(
    isWatched ? 'run_doc_method' : null,
    { dt: 'Server', dn: server.name, method: 'get_monitoring' },
    // Each time the server is asked; its facts change no more often.
    { verb: 'POST', returns: serverMonitoring, keepPrevious: true, refreshInterval: (metricInterval / 5) * 1000 },
  )
  if (!isWatched)
    return (
      <Card>
        <EmptyState title={t('monitoring.not_now')}>{t('monitoring.not_now_text')}</EmptyState>
      </Card>
    )
  const found = read.data
  if (!found && read.error)
    return <ErrorPanel title={t('monitoring.error')} error={read.error} onRetry={() => read.reload()} />
  if (!found) return <MonitoringSkeleton />
  const asked = found.checks.find(({ key }) => key === 'reach')?.observed ?? found.observed
  const isThisMachine = server.engine === 'local'
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <p role="status" className="text-table text-muted">
          <Time
            value={asked}
            variant="standalone"
            format={(when) => t(found.observed === null ? 'monitoring.no_answer' : 'monitoring.checked', { when })}
          />
        </p>
        <Button size="md" busy={read.isValidating} onClick={() => void read.reload()}>
          {t('monitoring.check_again')}
        </Button>
      </div>
      {read.error ? <Notice tone="warn">{read.error.message}</Notice> : null}
      {isThisMachine ? (
        <ChecksCard server={server} monitoring={found} />
      ) : (
        <>
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <ChecksCard server={server} monitoring={found} />
            <ServicesCard services={found.services} isRead={found.observed !== null} />
          </div>
          <ContainersCard docker={found.docker} containers={found.containers} />
        </>
      )}
    </div>
  )
}

function MonitoringSkeleton() {
  return (
    <>
      <p role="status" className="mb-4 text-table text-muted">
        {t('monitoring.checking')}
      </p>
      <div aria-hidden="true" className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Skeleton className="h-80 w-full rounded-card" />
        <Skeleton className="h-80 w-full rounded-card" />
        <Skeleton className="h-60 w-full rounded-card lg:col-span-2" />
      </div>
    </>
  )
}
