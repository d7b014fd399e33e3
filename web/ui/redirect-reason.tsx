import { useLocation } from 'react-router'
import { t } from '#web/lib/messages.ts'
import type { RedirectState } from '#web/lib/redirect-reason.ts'

/** One line on top of a page that says why one is here and not where one wanted to go. */
export function RedirectReason() {
  const state = useLocation().state as RedirectState | null
  if (!state?.reason) return null
  return (
    <output className="mb-4 block rounded-card bg-info-bg px-3 py-2.5 text-table text-info">
      {t(`reason.${state.reason}`)}
    </output>
  )
}
