import { useState } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { dueBackup } from '#shared/responses/backups.ts'
import { rolesOf } from '#web/documents/actions/viewer.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { usePermissions, useViewer } from '#web/documents/actions/use-actions.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { deleteDoc } from '#web/lib/api/api.ts'
import { useMethod, useSmallList } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { RecoveryKey } from './recovery-key.tsx'
import { RetentionPreview, useRetentionPreview } from './retention-preview.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { retentionOf, scheduleFields, scheduleText, type ScheduleRow } from './schedule-text.ts'

const { permissions }: Doctype = BackupScheduleDoctype

/** When a site is backed up by itself and what is kept; without a site, what holds for those of the organization that have no own schedule. */
export function ScheduleCard({
  organization,
  site = null,
  className,
}: {
  organization: string
  site?: Site | null
  className?: string
}) {
  const { owner } = sessionRoles(useSession())
  const [asked, setAsked] = useState<'change' | 'reset' | null>(null)
  const isGranted = rolesOf(useViewer(), null).some((role) => permissions[role]?.write === true)
  const mayWriteSite = usePermissions(isGranted || !site ? null : 'Site', site?.name).data?.permissions['write'] === 1
  const { data, error, reload } = useSmallList('Backup Schedule', {
    fields: scheduleFields,
    filters: [['organization', '=', organization]],
    or_filters: [['site', 'is', 'not set'], ...(site ? [['site', '=', site.name] as const] : [])],
    limit: 2,
  })
  const ofOrganization = data?.find((row) => row.site === null)
  const own = site ? data?.find((row) => row.site === site.name) : ofOrganization
  const shown = own ?? ofOrganization
  const mayChange = data !== undefined && (isGranted || mayWriteSite)
  const close = () => setAsked(null)
  return (
    <Card aria-labelledby="backup-schedule" className={className}>
      <CardHead
        id="backup-schedule"
        title={t(site ? 'schedule.title' : 'schedule.title_default')}
        {...(site && shown && { subtitle: t(own ? 'schedule.own' : 'schedule.of_organization') })}
      >
        {mayChange && site && own ? (
          <Button size="md" onClick={() => setAsked('reset')}>
            {t('schedule.reset')}
          </Button>
        ) : null}
        {mayChange ? (
          <Button size="md" onClick={() => setAsked('change')}>
            {t('schedule.change')}
          </Button>
        ) : null}
      </CardHead>
      <CardBody className="grid gap-1 text-table">
        {data ? (
          <>
            <p>{scheduleText(shown, ofOrganization?.per_server)}</p>
            {shown?.enabled === 1 ? <NextRun site={site} schedule={shown} /> : null}
            {shown?.enabled === 1 && site ? <DueBackup site={site} /> : null}
            {owner && (shown || !site) ? <RecoveryKey organization={organization} reminder={site !== null} /> : null}
          </>
        ) : error ? (
          <ErrorPanel
            className="flex items-start gap-3"
            title={t('schedule.error')}
            error={error}
            onRetry={() => reload()}
          />
        ) : (
          <Skeleton className="h-5 w-80 max-w-full" />
        )}
      </CardBody>
      {asked === 'change' ? (
        <ScheduleDialog
          organization={organization}
          site={site}
          own={own}
          shown={shown}
          onSaved={() => reload()}
          onClose={close}
        />
      ) : null}
      {asked === 'reset' && site && own ? (
        <ResetDialog site={site} own={own} next={ofOrganization} onDone={() => reload()} onClose={close} />
      ) : null}
    </Card>
  )
}

/** When the next backup is made, or why none is. */
function NextRun({ site, schedule }: { site: Site | null; schedule: ScheduleRow }) {
  const server = site?.server ?? null
  const engine = useMethod(
    server === null ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  const backup = engine.data?.capabilities['backup']
  const obstacle =
    backup?.supported === false
      ? translateText(backup.reason)
      : site && site.status !== 'Live'
        ? t('schedule.paused')
        : null
  return (
    <p className="text-muted">
      {obstacle ??
        // Sites that begin one after the other have no time in common.
        (schedule.spread ? null : (
          <Time variant="standalone" value={schedule.next_run} format={(when) => t('schedule.next', { when })} />
        ))}
    </p>
  )
}

/** Since when a backup is due that has not begun, and what it waits for. */
function DueBackup({ site }: { site: Site }) {
  const { data, reload } = useMethod('easydash.api.backups.due', { site: site.name }, { returns: dueBackup })
  // Checks write the schedules, and what a backup waits for is mostly another one.
  useListEvents('Backup Schedule', () => void reload())
  useListEvents('Site Backup', () => void reload())
  if (!data || data.since === null) return null
  const { since, waits_for: waitsFor, limit } = data
  return (
    <p>
      <Time
        variant="standalone"
        value={since}
        format={(when) => t(`schedule.due_${waitsFor ?? 'now'}`, { when, count: limit })}
      />
    </p>
  )
}

/** Asks before the own schedule of a site goes, with what the organization's deletes. */
function ResetDialog({
  site,
  own,
  next,
  onDone,
  onClose,
}: {
  site: Site
  own: ScheduleRow
  next: ScheduleRow | undefined
  onDone: () => Promise<void>
  onClose: () => void
}) {
  const { failure, attempt } = useAttempt()
  const preview = useRetentionPreview({ site: site.name }, next?.enabled === 1 ? retentionOf(next) : null)
  return (
    <AlertDialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('reset.title')}
      confirmLabel={t('reset.confirm')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await deleteDoc('Backup Schedule', own.name)
          showToast({ title: t('reset.done'), variant: 'success' })
          await onDone()
          onClose()
        })
      }
    >
      <p>{t('reset.text', { text: scheduleText(next, next?.per_server) })}</p>
      <RetentionPreview preview={preview} />
    </AlertDialog>
  )
}
