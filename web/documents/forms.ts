/** Dialogs and popovers with forms, as one file (later-forms.tsx). */
export { ActionDialog } from './actions/action-dialog.tsx'
export { BulkDialog } from './bulk/bulk-dialog.tsx'
export { BulkDrawer } from './bulk/bulk-drawer.tsx'
export { FilterEditor } from './list/filter-editor.tsx'
export { ViewDialog } from './list/view-dialog.tsx'
