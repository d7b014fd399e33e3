import type { Doctype } from '#shared/doctype.ts'
import { unreadableMessage } from '#web/lib/api/api-error.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { t } from './messages.ts'
import type { ActionResult } from './use-actions.ts'

/** The web address an action answered with. Null, and said in a toast, if it has none: something else than the server answered. */
export function answeredLink(type: Doctype, action: string, { url }: ActionResult): string | null {
  if (typeof url === 'string' && /^https?:\/\//i.test(url)) return url
  const label = translateText(type.actions?.[action]?.label ?? action)
  showToast({ title: t('action.failed', { action: label }), description: unreadableMessage, variant: 'danger' })
  return null
}
