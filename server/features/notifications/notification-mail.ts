import type { Tx } from '#server/contracts/transaction.ts'
import { renderMail, type MailSender } from '#server/platform/mail/render-mail.ts'
import type { NotificationLog } from '#shared/doctypes/notification-log.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { isMailed, mailChoiceOf } from '#shared/rules/notification-mails.ts'
import { notificationPath } from '#shared/rules/notification-path.ts'
import type { NotificationsDeps } from './notifications-deps.ts'

/** A notification, as far as an email says it. */
export type MailedNotification = Pick<
  NotificationLog,
  'organization' | 'subject' | 'body' | 'event' | 'severity' | 'created'
> &
  Partial<Pick<NotificationLog, 'reference_doctype' | 'reference_name' | 'job'>>

/** Sends a notification by email to those who want this one. */
export async function mailNotifications(
  { mailer, sender }: Pick<NotificationsDeps, 'mailer' | 'sender'>,
  tx: Tx,
  notification: MailedNotification,
  users: readonly string[],
): Promise<void> {
  if (users.length === 0) return
  const metas = await tx.list(UserMetaDoctype, [['user', 'in', users]])
  const wishes = new Map(metas.map(({ user, preferences }) => [user, preferences]))
  const wanting = users.filter((user) => isMailed(mailChoiceOf(wishes.get(user)), notification.severity))
  if (wanting.length === 0) return
  const organization = await tx.get(OrganizationDoctype, notification.organization)
  for (const user of wanting) {
    await mailer.send(tx.trx, notificationMail(sender, user, organization?.title ?? '', notification))
  }
}

function notificationMail(sender: MailSender, to: string, organization: string, notification: MailedNotification) {
  const { subject, body, event, created } = notification
  return renderMail(sender, {
    to,
    kind: event,
    subject: `${subject} – ${sender.productName}`,
    before: [subject, ...(body === null ? [] : [body])],
    details: [
      ['Organization', organization],
      ['Time', `${created.slice(0, 16)} UTC`],
    ],
    button: { label: 'Look at it', url: `${sender.url}/web${notificationPath(notification)}` },
    after: [`Choose which notifications you get by email: ${sender.url}/web/user/${encodeURIComponent(to)}#settings`],
  })
}
