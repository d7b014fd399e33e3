import { isOneOf } from '../is-one-of.ts'
import type { Severity } from './notification-events.ts'

/** Which notifications a person gets by email, too. */
export const notificationMailChoices = ['critical', 'all', 'none'] as const

/** One of `notificationMailChoices`. */
export type NotificationMailChoice = (typeof notificationMailChoices)[number]

/** Key in `User Meta.preferences`. */
export const notificationMailPreference = 'notification_mails'

/** What a person chose; only critical ones until they choose. */
export function mailChoiceOf(
  preferences: Readonly<Record<string, unknown>> | null | undefined,
): NotificationMailChoice {
  const chosen = preferences?.[notificationMailPreference]
  return isOneOf(notificationMailChoices, chosen) ? chosen : 'critical'
}

/** Whether a notification of this severity is sent by email. */
export const isMailed = (choice: NotificationMailChoice, severity: Severity | null): boolean =>
  choice === 'all' || (choice === 'critical' && severity === 'critical')
