import { once } from '#web/lib/browser/once.ts'
import { laterPart } from '#web/ui/later-part.tsx'

/** Dialogs that the first view doesn't need. */
export const loadDialogs = once(() => import('./dialogs.ts'))

/** See each of them for what it does. */
export const InviteDialog = laterPart(() => loadDialogs().then((dialogs) => dialogs.InviteDialog))
export const PersonDialog = laterPart(() => loadDialogs().then((dialogs) => dialogs.PersonDialog))
