import './tour.css'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from '#web/lib/router.tsx'
import { toApiError } from '#web/lib/api-error.ts'
import { trimmedPath } from '#web/lib/routes.ts'
import { sessionRoles, useSession } from '#web/lib/session.tsx'
import { showToast } from '#web/lib/toasts.ts'
import type { TourWish } from '#web/lib/tour-list.ts'
import { t } from './messages.ts'
import { runTour } from './tour-run.ts'
import { tourSteps } from './tour-steps.ts'

/** Plays a tour. `screens`: paths there are; `onSeen` is told when it ends, however it ends. */
export function Tours({
  tour,
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
  const running = useRef<{ end: () => void; path: string } | null>(null)

  const play = (): (() => void) => {
    const { owner, admin, manager } = sessionRoles(session)
    const steps = tourSteps(tour.name, { owner, admin, manager, ee: session.modules.ee }, screens)
    const current = { path, end: (): void => undefined }
    running.current = current
    const { end } = runTour(tour.name, steps, tour.step, {
      go(to) {
        current.path = trimmedPath(to.replace(/#.*/, ''))
        navigate(to)
      },
      onEnd() {
        running.current = null
        onSeen(tour).catch((error: unknown) =>
          showToast({ title: t('tour.unsaved'), description: toApiError(error).message, variant: 'warning' }),
        )
      },
    })
    current.end = end
    return end
  }
  const latest = useRef(play)
  useEffect(() => {
    latest.current = play
  })

  useEffect(() => latest.current(), [tour])
  useEffect(() => {
    // Who goes somewhere else on their own has ended the tour.
    if (running.current && running.current.path !== path) running.current.end()
  }, [path])
  return null
}
