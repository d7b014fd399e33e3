import type { Action } from '#shared/doctype.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { t } from './messages.ts'

/** What somebody who confirms an action for `count` documents is told of it; undefined for an action that asks nothing. */
export const confirmText = ({ confirm }: Action, count = 1): string | undefined =>
  confirm && translateText(confirm, { count })

/** What an action does to the document of this title: "Permanently delete Play House". */
export const actionPhrase = ({ label, phrase }: Action, title: string): string =>
  phrase ? translateText(phrase, { title }) : t('action.phrase', { action: translateText(label), title })
