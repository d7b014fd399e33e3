import { lazy, Suspense, type ComponentProps } from 'react'

const ActionDialog = lazy(() => import('./action-dialog.tsx').then((module) => ({ default: module.ActionDialog })))

/** The dialog of an action, its code fetched when something is to be asked. */
export function ActionQuestion({
  pending,
  ...props
}: Omit<ComponentProps<typeof ActionDialog>, 'pending'> & {
  pending: ComponentProps<typeof ActionDialog>['pending'] | null
}) {
  if (!pending) return null
  return (
    <Suspense fallback={null}>
      <ActionDialog key={pending.name} pending={pending} {...props} />
    </Suspense>
  )
}
