import { useLocation } from 'react-router'
import type { RedirectState } from '#web/lib/routing/redirect-reason.ts'
import { RedirectReasonText } from './redirect-reason-text.tsx'

/** One line on top of a page that says why one is here and not where one wanted to go. */
export function RedirectReason() {
  const state = useLocation().state as RedirectState | null
  if (!state?.reason) return null
  return <RedirectReasonText reason={state.reason} />
}
