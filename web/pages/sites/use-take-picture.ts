import { useEffect, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import type { ActionGate } from '#web/documents/actions/action-gate.ts'
import { toldText } from '#web/lib/i18n/told.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'

/** What the site told of its picture when a new one was asked for. */
type Asked = Pick<Site, 'thumbnail_taken' | 'thumbnail_problem'>

/**
 * Asking for a new picture of a site. It is taken in the background: what becomes of it is told when the site's document
 * tells of it. Null: this person may not, or the site cannot be pictured in its state.
 */
export function useTakePicture(site: Site): { gate: Extract<ActionGate, { shown: true }>; take: () => void } | null {
  const action = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'take_picture')
  const { runOrToast } = useActionRunner(SiteDoctype)
  const [asked, setAsked] = useState<Asked | null>(null)
  const { thumbnail_taken: taken, thumbnail_problem: problem, thumbnail_problem_parts: parts } = site
  useEffect(() => {
    if (asked === null) return
    if (taken !== asked.thumbnail_taken) {
      setAsked(null)
      showToast({ title: t('site.picture_taken'), variant: 'success' })
    } else if (problem !== asked.thumbnail_problem) {
      // Asking clears the problem of the time before; what comes then is a new one.
      setAsked(problem === null ? { ...asked, thumbnail_problem: null } : null)
      if (problem !== null)
        showToast({ title: t('site.picture_failed'), description: toldText(problem, parts).text, variant: 'danger' })
    }
  }, [asked, taken, problem, parts])
  if (!action) return null
  return {
    gate: action.gate,
    take: () =>
      void runOrToast(site, action.name).then((result) => {
        if (result === null) return
        showToast({ title: t('site.picture_asked') })
        setAsked({ thumbnail_taken: taken, thumbnail_problem: problem })
      }),
  }
}
