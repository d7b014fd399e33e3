import { useSyncExternalStore } from 'react'

/** Names of the tours (docs/contracts/screens.md, section 2), in the order of the help menu. */
export const tourNames = ['onboarding', 'features', 'onboardingv2'] as const

/** Name of a tour. */
export type TourName = (typeof tourNames)[number]

/** A requested tour; a new object for each request. */
export interface TourRequest {
  name: TourName
  /** Step index, from 0. */
  step: number
  /** The tour is paused while the form of the first site or a job drawer is open, then resumes at that step. */
  held?: 'form' | 'job'
  /** Name of the organization's first site, if it was created during this tour. */
  site?: string
}

let request: TourRequest | null = null
const listeners = new Set<() => void>()

/** Starts a tour from the beginning, on any page. */
export function startTour(name: TourName): void {
  request = { name, step: 0 }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The last requested tour; null if none. */
export function useTourRequest(): TourRequest | null {
  return useSyncExternalStore(subscribe, () => request)
}

const storageKey = 'easydash:tour'

/** The tour that was running when this tab reloaded; null if none. */
export function loadTour(): TourRequest | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    if (typeof kept !== 'object' || kept === null || !('name' in kept) || !('step' in kept)) return null
    const name = tourNames.find((known) => known === kept.name)
    if (name === undefined || typeof kept.step !== 'number') return null
    return {
      name,
      step: kept.step,
      ...('held' in kept && (kept.held === 'form' || kept.held === 'job') && { held: kept.held }),
      ...('site' in kept && typeof kept.site === 'string' && { site: kept.site }),
    }
  } catch {
    // Nothing usable is stored: no tour resumes.
    return null
  }
}

/** Stores a tour's progress, so that it resumes after a reload; null once it has ended. */
export function saveTour(tour: TourRequest | null): void {
  try {
    if (tour) sessionStorage.setItem(storageKey, JSON.stringify(tour))
    else sessionStorage.removeItem(storageKey)
  } catch {
    // Storage is blocked: the tour doesn't survive a reload.
  }
}
