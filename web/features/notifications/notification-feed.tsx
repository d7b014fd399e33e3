import { Check } from 'lucide-react'
import type { NotificationLog } from '#shared/doctypes/notification-log.ts'
import { notificationPath } from '#shared/rules/notification-path.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call, updateDoc } from '#web/lib/api/api.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { countKey, listKey } from '#web/lib/api/data-keys.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { severityLabel, severityTones } from '#web/documents/values/severity.ts'

/** Fields of a notification that a feed shows. */
export const feedFields = [
  'name',
  'subject',
  'subject_i18n',
  'body',
  'body_i18n',
  'event',
  'severity',
  'read',
  'created',
  'job',
  'reference_doctype',
  'reference_name',
] as const satisfies readonly (keyof NotificationLog)[]

type FeedRow = Pick<NotificationLog, (typeof feedFields)[number]>

const changed = () => refetchAll(listKey('Notification Log'), countKey('Notification Log'))

/** Runs a change of what is read, then reads the lists and counts again. */
async function mark(change: () => Promise<unknown>): Promise<void> {
  try {
    await change()
  } catch (error) {
    showToast({
      title: t('notifications.not_marked'),
      description: fullMessage(toApiError(error)),
      variant: 'danger',
    })
  }
  await changed()
}

/** Marks all of the user's notifications in the organization as read. */
export const markAllRead = (): Promise<void> => mark(() => call('easydash.api.notifications.mark_all_read'))

const markRead = (name: string): Promise<void> => mark(() => updateDoc('Notification Log', name, { read: 1 }))

/** Notifications, newest first. Following one marks it as read. */
export function NotificationFeed({
  rows,
  emptyTitle,
  onFollow,
}: {
  rows: Loaded<FeedRow[]>
  emptyTitle: string
  onFollow?: () => void
}) {
  if (rows.error && !rows.data)
    return <ErrorPanel title={t('notifications.error')} error={rows.error} onRetry={() => rows.reload()} />
  if (!rows.data)
    return (
      <div aria-hidden="true" className="grid gap-2 p-3">
        <Skeleton className="h-12 w-full" />
        <Skeleton className="h-12 w-full" />
        <Skeleton className="h-12 w-full" />
      </div>
    )
  if (rows.data.length === 0) return <EmptyState title={emptyTitle}>{t('notifications.empty_text')}</EmptyState>
  return (
    <ul aria-label={t('notifications.title')} className="divide-y divide-hairline">
      {rows.data.map((row) => (
        <FeedLine key={row.name} row={row} onFollow={onFollow} />
      ))}
    </ul>
  )
}

function FeedLine({ row, onFollow }: { row: FeedRow; onFollow: (() => void) | undefined }) {
  const { user } = useSession()
  const isUnread = row.read !== 1
  const severity = row.severity ?? 'info'
  const subject = localizedText(row.subject, row.subject_i18n)
  const body = localizedText(row.body, row.body_i18n)
  const path =
    row.event === 'new_sign_in'
      ? `/user/${encodeURIComponent(user ?? '')}?open=sessions#settings`
      : notificationPath(row)
  return (
    <li className={cx('flex items-start gap-2.5 px-3 py-2.5', isUnread && 'bg-info-bg/40')}>
      <StatusIcon tone={severityTones[severity]} className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <Link
          to={path}
          lang={subject.lang}
          className={cx('block text-table wrap-anywhere hover:underline', isUnread && 'font-semibold')}
          onClick={() => {
            onFollow?.()
            if (isUnread) void markRead(row.name)
          }}
        >
          <span className="sr-only">{severityLabel(severity)}: </span>
          {subject.text}
        </Link>
        {body.text === '' ? null : (
          <p lang={body.lang} className="line-clamp-3 text-table text-muted wrap-anywhere">
            {body.text}
          </p>
        )}
        <span className="flex gap-1.5 text-meta text-muted">
          <Time value={row.created} />
          {isUnread ? <span>· {t('notifications.new')}</span> : null}
        </span>
      </div>
      {isUnread ? (
        <IconButton
          size="sm"
          label={t('notifications.mark_read', { subject: subject.text })}
          onClick={() => void markRead(row.name)}
        >
          <Check size={14} strokeWidth={1.75} />
        </IconButton>
      ) : null}
    </li>
  )
}
