import { laterModule } from '#web/ui/later-module.tsx'
import { laterPart } from '#web/ui/later-part.tsx'

const dialogs = laterModule(() => import('./dialogs.ts'))

/** Dialogs that the first view doesn't need. */
export const loadDialogs = dialogs.load

/** See each of them for what it does. */
export const InviteDialog = laterPart(dialogs, (module) => module.InviteDialog)
export const PersonDialog = laterPart(dialogs, (module) => module.PersonDialog)
