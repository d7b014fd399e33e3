/** Dialogs of the page, as one file (later-dialogs.ts). */
export { InviteDialog } from './invite-dialog.tsx'
export { PersonDialog } from './person-dialogs.tsx'
