import { doctype, type Doc, type Rule } from '../doctype.ts'
import { check, data, datetime, json, link, select, text } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { notificationEvents, severities } from '../rules/notification-events.ts'

const told = { read_only: true, server_owned: true } as const

/** The caller's own, as long as they can read the document it is about. */
const own: Rule = { all: [['user', '=', '$user'], { readable_reference: 'any' }] }
const ownRows = { read: own, write: own } as const

/**
 * What one person is notified about: an entry of the activity log that they can read, in words of its own. Belongs to the
 * organization it happened in; a sign-in to the one the person works in.
 */
export const NotificationLogDoctype = doctype('Notification Log', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'subject',
  plural: 'Notifications',
  track_activity: false,
  reader: 'user',
  fields: {
    organization: link('Organization', { ...told, reqd: true }),
    user: link('User', { ...told, reqd: true }),
    subject: data({ ...told, reqd: true, length: 300, in_list_view: true }),
    subject_i18n: json<MessageDescriptor>({ ...told }),
    body: text({ ...told, length: 1000 }),
    body_i18n: json<MessageDescriptor>({ ...told }),
    event: select(notificationEvents, { ...told, reqd: true, in_standard_filter: true }),
    severity: select(severities, {
      ...told,
      reqd: true,
      default: 'info',
      in_list_view: true,
      in_standard_filter: true,
    }),
    reference_doctype: data({ ...told }),
    reference_name: data({ ...told }),
    /** The job that failed, whose log says why. */
    job: data({ ...told, length: 10 }),
    read: check({ default: 0, in_standard_filter: true }),
    created: datetime({ ...told, reqd: true, in_list_view: true }),
    /** The entry of the activity log. */
    activity: data({ server_owned: true, hidden: true }),
  },
  list: { order_by: 'created desc' },
  indexes: [
    { fields: ['user', 'activity'], unique: true },
    { fields: ['organization', 'user', 'created'] },
    { fields: ['organization', 'user'], where: 'read = 0' },
    // For the deletion of old ones.
    { fields: ['created'] },
  ],
  permissions: {
    Owner: ownRows,
    'Organization Admin': ownRows,
    'Organization Manager': ownRows,
    'Organization User': ownRows,
  },
})

/** A notification of a person. */
export type NotificationLog = Doc<typeof NotificationLogDoctype>
