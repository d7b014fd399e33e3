import { lazy, useState } from 'react'
import { useLocation } from 'react-router'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { loadTour, useTourRequest, type TourRequest } from '#web/lib/session/tour-list.ts'
import { usePreference } from '#web/lib/browser/use-preference.ts'
import { LazyOverlay } from '#web/ui/overlay/lazy-overlay.tsx'
import { useScreens } from './frame/screens.tsx'

const Tours = lazy(() => import('#web/tours/tours.tsx').then((module) => ({ default: module.Tours })))

const first: TourRequest = { name: 'onboardingv2', step: 0 }

/**
 * The current tour: a requested one, else the one interrupted by a reload, else the short one on a user's first dashboard.
 * Its code is loaded only then.
 */
export function TourGuide() {
  const screens = useScreens()
  const request = useTourRequest()
  const onDashboard = trimmedPath(useLocation().pathname) === '/'
  const seenTours = usePreference('tours_seen')
  const [kept] = useState(loadTour)
  const [ended, setEnded] = useState<readonly TourRequest[]>([])
  const names: readonly unknown[] = Array.isArray(seenTours.value) ? seenTours.value : []
  const untouched = seenTours.loaded && !names.includes('onboardingv2') && !names.includes('onboarding')
  const started = ended.length > 0 || request !== null
  const [shown, setShown] = useState(false)
  if (untouched && onDashboard && !started && !kept && !shown) setShown(true)
  const tour = [request, kept, shown ? first : null].find((one) => one !== null && !ended.includes(one)) ?? null
  if (!tour) return null
  return (
    <LazyOverlay open>
      <Tours
        tour={tour}
        screens={screens.map(({ path }) => path)}
        onSeen={async (ended) => {
          setEnded((before) => [...before, ended])
          if (!names.includes(ended.name)) await seenTours.set([...names, ended.name])
        }}
      />
    </LazyOverlay>
  )
}
