import type { Feature } from '#server/contracts/feature.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { NotificationLogDoctype } from '#shared/doctypes/notification-log.ts'
import { nothing } from '#shared/schema.ts'
import { notificationTables } from './notification-cursor.ts'
import type { NotificationsDeps } from './notifications-deps.ts'
import { notifyPeople } from './notify.ts'

/** How long notifications are kept, in days. */
const keptDays = 90

/** What people are told when they don't look: made from the activity log, which the gate decides about. */
export function createNotifications(deps: NotificationsDeps): Feature {
  return {
    tables: notificationTables,
    methods: [markAllRead],
    schedules: [{ name: 'notifications', everySeconds: 5, run: () => notifyPeople(deps) }],
    sweeps: [{ name: 'notifications.old', everySeconds: 3600, run: () => deleteOld(deps) }],
  }
}

const markAllRead: Method = defineMethod({
  name: 'easydash.api.notifications.mark_all_read',
  access: 'member',
  verbs: ['POST'],
  description: 'Marks all of the caller’s notifications in the current organization as read.',
  returns: nothing,
  async run(_params, { session, documents }) {
    await documents.transaction(session, (tx) =>
      tx.updateWhere(
        NotificationLogDoctype,
        [
          ['organization', '=', session.organization],
          ['user', '=', session.user],
          ['read', '=', 0],
        ],
        { read: 1 },
      ),
    )
    return null
  },
})

function deleteOld({ documents }: Pick<NotificationsDeps, 'documents'>): Promise<number> {
  const before = formatTimestamp(systemClock.now() - keptDays * 86_400_000)
  return documents().transaction(systemSession('schedule'), async (tx) => {
    const old = [['created', '<', before]] as const
    const count = await tx.count(NotificationLogDoctype, old)
    if (count > 0) await tx.deleteWhere(NotificationLogDoctype, old)
    return count
  })
}
