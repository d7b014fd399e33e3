import { Suspense } from 'react'
import { useLocation } from '#web/lib/router.tsx'
import { fetched } from '#web/lib/code.ts'
import type { RedirectState } from '#web/lib/redirect-reason.ts'
import { CodeBoundary } from './code-boundary.tsx'

const Text = fetched(() => import('./redirect-reason-text.tsx').then((module) => module.RedirectReasonText))

/** One line on top of a page that says why one is here and not where one wanted to go. */
export function RedirectReason() {
  const state = useLocation().state as RedirectState | null
  if (!state?.reason) return null
  return (
    <CodeBoundary level="part">
      <Suspense fallback={null}>
        <Text reason={state.reason} />
      </Suspense>
    </CodeBoundary>
  )
}
