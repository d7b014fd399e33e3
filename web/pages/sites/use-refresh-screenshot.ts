import { useEffect, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import type { ActionGate } from '#web/documents/actions/action-gate.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { showToast, updateToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'

/** The site's screenshot state at the time of the request. */
type ScreenshotState = Pick<Site, 'thumbnail_taken' | 'thumbnail_problem'>

/**
 * Requests a new screenshot of a site. It is taken in the background, and the outcome is shown when the site's document
 * changes. Null if the user isn't allowed to, or the site can't be captured in its state.
 */
export function useRefreshScreenshot(
  site: Site,
): { gate: Extract<ActionGate, { shown: true }>; take: () => void } | null {
  const action = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'take_picture')
  const { runOrToast } = useActionRunner(SiteDoctype)
  const [requested, setRequested] = useState<(ScreenshotState & { toast: number }) | null>(null)
  const { thumbnail_taken: taken, thumbnail_problem: problem, thumbnail_problem_i18n: parts } = site
  useEffect(() => {
    if (requested === null) return
    if (taken !== requested.thumbnail_taken) {
      setRequested(null)
      updateToast(requested.toast, { title: t('site.screenshot_done'), variant: 'success' })
    } else if (problem !== requested.thumbnail_problem) {
      // The request clears the previous problem, so one that appears afterwards is new.
      setRequested(problem === null ? { ...requested, thumbnail_problem: null } : null)
      if (problem !== null)
        updateToast(requested.toast, {
          title: t('site.screenshot_failed'),
          description: localizedText(problem, parts).text,
          variant: 'danger',
        })
    }
  }, [requested, taken, problem, parts])
  if (!action) return null
  return {
    gate: action.gate,
    take: () =>
      void runOrToast(site, action.name).then((result) => {
        if (result === null) return
        const toast = showToast({ title: t('site.screenshot_requested') })
        setRequested({ toast, thumbnail_taken: taken, thumbnail_problem: problem })
      }),
  }
}
