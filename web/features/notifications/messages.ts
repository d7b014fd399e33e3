import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of notifications. */
export const t = createCatalog({
  'notifications.title': 'Notifications',
  'notifications.unread': '{count, plural, one {# unread} other {# unread}}',
  'notifications.all_read': 'Mark all as read',
  'notifications.mark_read': 'Mark as read: {subject}',
  'notifications.new': 'Unread',
  'notifications.error': 'The notifications could not be read',
  'notifications.not_marked': 'The notification was not marked',
  'notifications.empty': 'No notifications',
  'notifications.empty_unread': 'Nothing unread',
  'notifications.empty_text':
    'You are told here when a site or a server is down, and when a job, a backup or a check of files fails. Notifications stay for 90 days.',
  'notifications.more': 'Show more',
  'notifications.show_all': 'All notifications',
  'notifications.settings': 'Email settings',
  'notifications.filter_all': 'All',
  'notifications.filter_unread': 'Unread',
  'notifications.filter': 'Which notifications',
})
