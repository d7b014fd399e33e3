import { activityWording, readLabel } from '#shared/activity-wording.ts'
import type { Activity } from '#shared/doctypes/activity.ts'
import { t } from './messages.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { locale } from '#web/lib/i18n/locale.ts'

/** Text of an action key like `site.create`; unknown keys are shown as plain words. */
export function actionText(action: string): string {
  const known = activityWording(action)
  if (known !== undefined) return translateText(known)
  const read = readLabel(action)
  if (read !== undefined) return t('list.read', { action: translateText(read) })
  const [subject = '', verb = ''] = action.toLowerCase().replaceAll('_', ' ').split('.')
  return verb === '' ? subject : `${verb} (${subject})`
}

/** A text of an action with its detail: "shared the site with ann@example.com (Can view)". */
export function withDetail(
  text: string,
  { detail, detail_i18n }: Partial<Pick<Activity, 'detail' | 'detail_i18n'>>,
): string {
  // What was denied has none, where the wording may lead to one.
  return detail
    ? t('list.with_detail', { text, detail: localizedText(detail, detail_i18n).text })
    : text.replace(/:$/, '')
}

/** The same as standalone text, e.g. in a column: "Changed the site". */
export function activityTitle(action: string): string {
  const text = actionText(action)
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
}
