import { activityWording } from '#shared/activity-wording.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { locale } from '#web/lib/i18n/locale.ts'

/** Text of an action key like `site.create`; unknown keys are shown as plain words. */
export function actionText(action: string): string {
  const known = activityWording(action)
  if (known !== undefined) return translateText(known)
  const [subject = '', verb = ''] = action.toLowerCase().replaceAll('_', ' ').split('.')
  return verb === '' ? subject : `${verb} (${subject})`
}

/** The same as standalone text, e.g. in a column: "Changed the site". */
export function activityTitle(action: string): string {
  const text = actionText(action)
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
}
