import { feedFields, markAllRead, NotificationFeed } from '#web/features/notifications/notification-feed.tsx'
import { t } from '#web/features/notifications/messages.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'

/** Content of the bell: the newest notifications. */
export function NotificationPanel({ unread, onClose }: { unread: number; onClose: () => void }) {
  const { user } = useSession()
  const rows = useList('Notification Log', { fields: feedFields, order_by: 'created desc', limit: 15 })
  return (
    <>
      <div className="flex min-h-11 items-center justify-between gap-2 px-3 pt-1">
        <h2 className="text-table">{t('notifications.title')}</h2>
        {unread > 0 ? (
          <Button size="sm" variant="ghost" className="-mr-2" onClick={() => void markAllRead()}>
            {t('notifications.all_read')}
          </Button>
        ) : null}
      </div>
      <NotificationFeed rows={rows} emptyTitle={t('notifications.empty')} onFollow={onClose} />
      <div className="flex justify-between gap-2 border-t border-border px-3 py-2 text-table">
        <Link to="/notification" className="link" onClick={onClose}>
          {t('notifications.show_all')}
        </Link>
        <Link to={`/user/${encodeURIComponent(user ?? '')}?open=mails#settings`} className="link" onClick={onClose}>
          {t('notifications.settings')}
        </Link>
      </div>
    </>
  )
}
