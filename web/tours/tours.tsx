import './tour.css'
import { useEffect, useRef, useState } from 'react'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { useLocation, useNavigate } from 'react-router'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { keepTour, type TourWish } from '#web/lib/session/tour-list.ts'
import { t } from './messages.ts'
import { focusBeside, runTour, type RunningTour } from './tour-run.ts'
import { onceMade, sitePath, tourSteps, type TourViewer } from './tour-steps.ts'

/**
 * Whether the person can make the organization's first site: it has none, and a server for it. `known` is false until
 * that has been read, which happens only for organizations without sites.
 */
function useFirstSiteAhead(): { known: boolean; ahead: boolean } {
  const session = useSession()
  const none = session.subscription?.usage.site === 0
  const servers = useCount(none ? 'Server' : null, {
    // As the form offers them: members choose among these only.
    filters: [
      ['status', '=', 'Healthy'],
      ...(sessionRoles(session).member ? ([['server_category', '=', 'development']] as const) : []),
    ],
  })
  const ahead = none && (servers.data ?? 0) > 0
  return { known: !none || servers.data !== undefined || servers.error !== null, ahead }
}

/** A tour and where it stands. */
interface Standing {
  wish: TourWish
  tour: TourWish
  /** The form was left without a site: the tour does not lead there again. */
  putOff: boolean
  /** Over which page it is held. */
  heldAt: string | null
}

const begin = (wish: TourWish): Standing => ({ wish, tour: wish, putOff: false, heldAt: null })

/**
 * Plays a tour. While the form of the first site or the drawer of a job is open it stands aside, and goes on by itself
 * afterwards. `screens`: paths there are; `onSeen` is told when it ends, however it ends.
 */
export function Tours({
  tour: wish,
  screens,
  onSeen,
}: {
  tour: TourWish
  screens: readonly string[]
  onSeen: (tour: TourWish) => Promise<void>
}) {
  const session = useSession()
  const navigate = useNavigate()
  const path = trimmedPath(useLocation().pathname)
  const jobOpen = useSearchParams()[0].has('job')
  const running = useRef<(RunningTour & { path: string; drawn: string }) | null>(null)
  /** Of a tour that is drawn anew where it stands: what has the focus beside it. */
  const anew = useRef<{ focus: HTMLElement | null } | null>(null)
  /** Path of the page that is drawn. */
  const here = useRef(path)
  /** Called when the page that the tour went to is drawn. */
  const arrived = useRef<() => void>(() => undefined)
  /** The tour whose end was told. */
  const told = useRef<TourWish | null>(null)
  const [standing, setStanding] = useState(() => begin(wish))
  if (standing.wish !== wish) setStanding(begin(wish))
  const { tour, putOff, heldAt } = standing

  const { known, ahead } = useFirstSiteAhead()
  // Once begun it is not begun anew because something else is read meanwhile.
  const [ready, setReady] = useState(known)
  if (known && !ready) setReady(true)

  const { owner, admin, manager } = sessionRoles(session)
  const viewer: TourViewer = { owner, admin, manager, ee: session.modules.ee }
  if (tour.site !== undefined) viewer.firstSite = { name: tour.site }
  else if (ahead) viewer.firstSite = putOff ? 'put_off' : 'ahead'
  const steps = tourSteps(tour.name, viewer, screens)
  /** What the tour is drawn from: its words, and the width, which moves what it points at. */
  const drawn = JSON.stringify([useBreakpoint(), steps])
  const onForm = steps.some(({ form }) => form === path)

  const ended = (finished = false): void => {
    running.current = null
    if (told.current === wish) return
    told.current = wish
    // The last steps lit entries of the menu, over whatever page was open: who just made a first site wants to be there.
    const site = finished && tour.site !== undefined ? sitePath(tour.site) : null
    if (site !== null && site !== here.current) void navigate(site)
    onSeen(wish).catch((error: unknown) =>
      showToast({ title: t('tour.unsaved'), description: toApiError(error).message, variant: 'warning' }),
    )
  }

  const play = (): (() => void) => {
    const current = { path, drawn, end: (): void => undefined, hold: (): number => tour.step }
    running.current = current
    const stays = anew.current
    anew.current = null
    const started = runTour(tour, steps, {
      focus: stays?.focus ?? null,
      go(to) {
        const next = trimmedPath(to.replace(/#.*/, ''))
        // Who filtered the list meanwhile keeps it so.
        if (stays && next === path && next === here.current) return Promise.resolve()
        // The form is no screen of the tour: arriving there holds it, whichever way somebody came.
        if (!steps.some(({ form }) => form === next)) current.path = next
        const arrival = Promise.withResolvers<void>()
        arrived.current = arrival.resolve
        void navigate(to)
        // Another tab of the same page draws no other path.
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
    setStanding({ ...standing, tour: { ...tour, step, held }, heldAt: path })
  }

  const goOn = (): void => {
    if (tour.held === 'job' && heldAt !== null && heldAt !== path) return ended()
    const { held, ...free } = tour
    setStanding({ ...standing, tour: free, putOff: putOff || (held === 'form' && tour.site === undefined) })
  }

  /** Draws it anew at its step, once it would say or point at something else there. */
  const redraw = (): void => {
    if (!running.current || running.current.drawn === drawn) return
    const focus = focusBeside()
    const { scrollX, scrollY } = window
    const step = running.current.hold()
    // The library gives the focus back to where it was before the tour, wherever on the page that is.
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' })
    running.current = null
    anew.current = { focus }
    setStanding({ ...standing, tour: { ...tour, step } })
  }

  /** Keeps up with where the person is. */
  const follow = (): void => {
    const made = tour.held === 'form' && tour.site === undefined ? onceMade(tour, steps, path) : null
    if (made) setStanding({ ...standing, tour: made })
    else if (tour.held) {
      if (!jobOpen && !(tour.held === 'form' && onForm)) goOn()
    } else if (running.current) {
      const elsewhere = running.current.path !== path
      if (elsewhere && onForm && ahead && tour.site === undefined) hold('form')
      // Who goes somewhere else on their own has ended the tour.
      else if (elsewhere) running.current.end()
      else if (jobOpen) hold('job')
    }
  }

  /** Another tour was asked for, or the shell goes away: one that stands aside does not come back then. */
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
  useEffect(() => () => latest.current.drop(), [wish])
  useEffect(() => {
    if (!ready) return
    if (!tour.held) return latest.current.play()
    keepTour(tour)
    return () => keepTour(null)
  }, [tour, ready])
  useEffect(() => {
    if (ready) latest.current.follow()
  }, [path, jobOpen, tour, ready])
  useEffect(() => latest.current.redraw(), [drawn])
  return null
}
