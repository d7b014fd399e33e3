import { lazy, Suspense } from 'react'
import { useLocation } from 'react-router'
import type { RedirectState } from '#web/lib/redirect-reason.ts'

const Text = lazy(() => import('./redirect-reason-text.tsx').then((module) => ({ default: module.RedirectReasonText })))

/** One line on top of a page that says why one is here and not where one wanted to go. */
export function RedirectReason() {
  const state = useLocation().state as RedirectState | null
  if (!state?.reason) return null
  return (
    <Suspense fallback={null}>
      <Text reason={state.reason} />
    </Suspense>
  )
}
