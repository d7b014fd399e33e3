import { lazy, useState } from 'react'
import { loadTour, useTourRequest, type TourRequest } from '#web/lib/session/tour-list.ts'
import { usePreference } from '#web/lib/browser/use-preference.ts'
import { LazyOverlay } from '#web/ui/overlay/lazy-overlay.tsx'
import { useScreens } from './frame/screens.tsx'

const Tours = lazy(() => import('#web/tours/tours.tsx').then((module) => ({ default: module.Tours })))

/**
 * The current tour: a requested one, else the one interrupted by a reload. Its code is loaded only then. None starts by itself:
 * dashboards offer one.
 */
export function TourGuide() {
  const screens = useScreens()
  const request = useTourRequest()
  const seenTours = usePreference('tours_seen')
  const [kept] = useState(loadTour)
  const [ended, setEnded] = useState<readonly TourRequest[]>([])
  const names: readonly unknown[] = Array.isArray(seenTours.value) ? seenTours.value : []
  const tour = [request, kept].find((one) => one !== null && !ended.includes(one)) ?? null
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
