import { once } from '#web/lib/browser/once.ts'
import { laterPart } from '#web/ui/later-part.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** What the first view of a document or a list doesn't need: its forms, with their library, are a tenth of its script. */
export const loadForms = once(() => import('./forms.ts'))

/** See each of them for what it does. */
export const ActionDialog = laterPart(() => loadForms().then((forms) => forms.ActionDialog))
export const BulkDialog = laterPart(() => loadForms().then((forms) => forms.BulkDialog))
export const BulkDrawer = laterPart(() => loadForms().then((forms) => forms.BulkDrawer))
export const FilterEditor = laterPart(
  () => loadForms().then((forms) => forms.FilterEditor),
  <Skeleton className="m-3 h-24 w-60" />,
)
export const ViewDialog = laterPart(() => loadForms().then((forms) => forms.ViewDialog))
