import { useState } from 'react'
import { feedFields, markAllRead, NotificationFeed } from '#web/features/notifications/notification-feed.tsx'
import { t } from '#web/features/notifications/messages.ts'
import { useCount, useList } from '#web/lib/api/frappe.tsx'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { PageHead } from '#web/ui/page-head.tsx'

/** Notifications shown at first, and with each press of the button. */
const pageSize = 50

/** All notifications of the user in this organization. */
export function NotificationsPage() {
  const [params, setParams] = useSearchParams()
  const onlyUnread = params.get('show') === 'unread'
  const [limit, setLimit] = useState(pageSize)
  const unread = useCount('Notification Log', { filters: [['read', '=', 0]] }).data ?? 0
  const rows = useList('Notification Log', {
    fields: feedFields,
    filters: onlyUnread ? [['read', '=', 0]] : [],
    order_by: 'created desc',
    limit,
  })
  return (
    <>
      <PageHead
        title={t('notifications.title')}
        subtitle={unread > 0 ? t('notifications.unread', { count: unread }) : null}
      >
        <Select
          aria-label={t('notifications.filter')}
          value={onlyUnread ? 'unread' : 'all'}
          onChange={(event) =>
            setParams(new URLSearchParams(event.target.value === 'unread' ? { show: 'unread' } : {}), { replace: true })
          }
        >
          <option value="all">{t('notifications.filter_all')}</option>
          <option value="unread">{t('notifications.filter_unread')}</option>
        </Select>
        <Button disabled={unread === 0} onClick={() => void markAllRead()}>
          {t('notifications.all_read')}
        </Button>
      </PageHead>
      <Card className="max-w-4xl">
        <NotificationFeed
          rows={rows}
          emptyTitle={t(onlyUnread ? 'notifications.empty_unread' : 'notifications.empty')}
        />
      </Card>
      {rows.data?.length === limit ? (
        <Button className="mt-3" busy={rows.isValidating} onClick={() => setLimit(limit + pageSize)}>
          {t('notifications.more')}
        </Button>
      ) : null}
    </>
  )
}
