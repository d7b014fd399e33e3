import { laterModule } from '#web/ui/later-module.tsx'
import { laterPart } from '#web/ui/later-part.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

const forms = laterModule(() => import('./forms.ts'))

/** What the first view of a document or a list doesn't need: its forms, with their library, are a tenth of its script. */
export const loadForms = forms.load

/** See each of them for what it does. */
export const ActionDialog = laterPart(forms, (module) => module.ActionDialog)
export const BulkDialog = laterPart(forms, (module) => module.BulkDialog)
export const BulkDrawer = laterPart(forms, (module) => module.BulkDrawer)
export const FilterEditor = laterPart(forms, (module) => module.FilterEditor, <Skeleton className="m-3 h-24 w-60" />)
export const ViewDialog = laterPart(forms, (module) => module.ViewDialog)
