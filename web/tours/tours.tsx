import './tour.css'
import { useEffect, useRef, useState } from 'react'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { useLocation, useNavigate } from 'react-router'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { useCount, useList } from '#web/lib/api/frappe.tsx'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { saveTour, type TourRequest } from '#web/lib/session/tour-list.ts'
import { t } from './messages.ts'
import { runTour, type RunningTour } from './tour-run.ts'
import { continueAfterCreation, sitePath, tourSteps, type TourViewer } from './tour-steps.ts'

/**
 * Whether the user can create the organization's first site: it has none, and there is a server for it. `known` is false
 * while loading, which is only needed for organizations without sites.
 */
function useFirstSiteAhead(): { known: boolean; ahead: boolean } {
  const session = useSession()
  const none = session.subscription?.usage.site === 0
  const servers = useCount(none ? 'Server' : null, {
    // As in the form: members can only choose these.
    filters: [
      ['status', '=', 'Healthy'],
      ...(sessionRoles(session).member ? ([['server_category', '=', 'development']] as const) : []),
    ],
  })
  const ahead = none && (servers.data ?? 0) > 0
  return { known: !none || servers.data !== undefined || servers.error !== null, ahead }
}

/** A tour and its progress. */
interface TourProgress {
  request: TourRequest
  tour: TourRequest
  /** The user left the form without creating a site; the tour doesn't go there again. */
  postponed: boolean
  /** Path of the page it is paused on. */
  heldAt: string | null
  /** What there was when it began; null before that is known. What is made later doesn't change its number of steps. */
  existing: Pick<TourViewer, 'hasSites' | 'server'> | null
}

const begin = (request: TourRequest): TourProgress => ({
  request,
  tour: request,
  postponed: false,
  heldAt: null,
  existing: null,
})

/**
 * Runs a tour. It pauses while the form of the first site or a job drawer is open, and then resumes by itself. `screens`:
 * existing paths; `onSeen` is called when it ends, finished or not.
 */
export function Tours({
  tour: request,
  screens,
  onSeen,
}: {
  tour: TourRequest
  screens: readonly string[]
  onSeen: (tour: TourRequest) => Promise<void>
}) {
  const session = useSession()
  const navigate = useNavigate()
  const path = trimmedPath(useLocation().pathname)
  const jobOpen = useSearchParams()[0].has('job')
  const running = useRef<(RunningTour & { path: string; renderKey: string }) | null>(null)
  /** Focused element outside the popover, if a tour is shown again at its current step. */
  const anew = useRef<{ focus: HTMLElement | null } | null>(null)
  /** Path of the rendered page. */
  const here = useRef(path)
  /** Called when the page the tour navigated to is rendered. */
  const arrived = useRef<() => void>(() => undefined)
  /** The tour whose end was already reported. */
  const reported = useRef<TourRequest | null>(null)
  const [progress, setProgress] = useState(() => begin(request))
  if (progress.request !== request) setProgress(begin(request))
  const { tour, postponed, heldAt } = progress

  const { known, ahead } = useFirstSiteAhead()
  const sites = useCount('Site', { filters: SiteDoctype.list?.filters ?? [] })
  const { owner, admin, manager } = sessionRoles(session)
  const { ee } = session.modules
  const graphs = tour.name === 'features' && ee && (admin || manager)
  const servers = useList(graphs ? 'Server' : null, {
    fields: ['name'],
    filters: ServerDoctype.list?.filters ?? [],
    order_by: 'creation asc',
    limit: 1,
  })
  // Once started, a refetch doesn't restart it.
  const ready = progress.existing !== null
  const asked = graphs ? [sites, servers] : [sites]
  if (!ready && known && asked.every(({ data, error }) => data !== undefined || error !== null))
    setProgress({
      ...progress,
      existing: { hasSites: (sites.data ?? 0) > 0, server: servers.data?.[0]?.name ?? null },
    })

  const { hasSites = false, server = null } = progress.existing ?? {}
  const viewer: TourViewer = { owner, admin, manager, ee, hasSites, server }
  if (tour.site !== undefined) viewer.firstSite = { name: tour.site }
  else if (ahead) viewer.firstSite = postponed ? 'put_off' : 'ahead'
  const steps = tourSteps(tour.name, viewer, screens)
  /** Inputs of the shown tour: its texts, and the breakpoint, which moves targets. */
  const renderKey = JSON.stringify([useBreakpoint(), steps])
  const onForm = steps.some(({ form }) => form === path)

  const ended = (finished = false): void => {
    running.current = null
    if (reported.current === request) return
    reported.current = request
    // The last steps highlight menu entries on whatever page is open. A user who created their first site is then taken to
    // it.
    const site = finished && tour.site !== undefined ? sitePath(tour.site) : null
    if (site !== null && site !== here.current) void navigate(site)
    onSeen(request).catch((error: unknown) =>
      showToast({ title: t('tour.unsaved'), description: toApiError(error).message, variant: 'warning' }),
    )
  }

  const play = (): (() => void) => {
    const stays = anew.current
    anew.current = null
    const current = {
      path,
      renderKey,
      end: (): void => undefined,
      hold: (): number => tour.step,
      focusBeside: () => stays?.focus ?? null,
    }
    running.current = current
    const started = runTour(tour, steps, {
      focus: stays?.focus ?? null,
      go(to) {
        const next = trimmedPath(to.replace(/[?#].*/, ''))
        // Keeps filters the user has changed in the list.
        if (stays && next === path && next === here.current) return Promise.resolve()
        // The form isn't a screen of the tour: arriving there by any route pauses it.
        if (!steps.some(({ form }) => form === next)) current.path = next
        const arrival = Promise.withResolvers<void>()
        arrived.current = arrival.resolve
        void navigate(to)
        // Another tab of the same page doesn't change the path.
        if (next === here.current) arrival.resolve()
        return arrival.promise
      },
      onEnd: ended,
    })
    return Object.assign(current, started).end
  }

  const hold = (held: 'form' | 'job'): void => {
    const step = running.current?.hold() ?? tour.step
    running.current = null
    setProgress({ ...progress, tour: { ...tour, step, held }, heldAt: path })
  }

  const resumeTour = (): void => {
    if (tour.held === 'job' && heldAt !== null && heldAt !== path) return ended()
    const { held, ...free } = tour
    setProgress({ ...progress, tour: free, postponed: postponed || (held === 'form' && tour.site === undefined) })
  }

  /** Shows the tour again at its step if its text or target changed. */
  const redraw = (): void => {
    if (!running.current || running.current.renderKey === renderKey) return
    const focus = running.current.focusBeside()
    const { scrollX, scrollY } = window
    const step = running.current.hold()
    // The library returns the focus to its position before the tour, which may scroll the page.
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' })
    running.current = null
    anew.current = { focus }
    setProgress({ ...progress, tour: { ...tour, step } })
  }

  /** Follows the user's navigation. */
  const follow = (): void => {
    const made = tour.held === 'form' && tour.site === undefined ? continueAfterCreation(tour, steps, path) : null
    if (made) setProgress({ ...progress, tour: made })
    else if (tour.held) {
      if (!jobOpen && !(tour.held === 'form' && onForm)) resumeTour()
    } else if (running.current) {
      const elsewhere = running.current.path !== path
      if (elsewhere && onForm && ahead && tour.site === undefined) hold('form')
      // Navigating elsewhere ends the tour.
      else if (elsewhere) running.current.end()
      else if (jobOpen) hold('job')
    }
  }

  /** Another tour was requested, or the shell unmounts: a paused tour then doesn't come back. */
  const drop = (): void => {
    if (tour.held) ended()
  }

  useEffect(() => {
    here.current = path
    arrived.current()
  }, [path])
  const latest = useRef({ play, follow, drop, redraw })
  useEffect(() => {
    latest.current = { play, follow, drop, redraw }
  })
  useEffect(() => () => latest.current.drop(), [request])
  // Before the tour is played: its first step may navigate, which is not the user's doing.
  useEffect(() => {
    if (ready) latest.current.follow()
  }, [path, jobOpen, tour, ready])
  useEffect(() => {
    if (!ready) return
    if (!tour.held) return latest.current.play()
    saveTour(tour)
    return () => saveTour(null)
  }, [tour, ready])
  useEffect(() => latest.current.redraw(), [renderKey])
  return null
}
