import { useSyncExternalStore } from 'react'

/** Names of the tours (docs/contracts/screens.md, section 2), in the order in which help offers them. */
export const tourNames = ['onboarding', 'features', 'onboardingv2'] as const

/** One of them. */
export type TourName = (typeof tourNames)[number]

/** A tour to play; a new object for each time somebody asks. */
export interface TourWish {
  name: TourName
  /** Of its steps, from 0. */
  step: number
  /** It stands aside while the form of the first site or the drawer of a job is open, and goes on at that step. */
  held?: 'form' | 'job'
  /** Name of the organization's first site, when it was made during this tour. */
  site?: string
}

let wish: TourWish | null = null
const listeners = new Set<() => void>()

/** Plays a tour from its beginning, over whatever page is open. */
export function startTour(name: TourName): void {
  wish = { name, step: 0 }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The tour somebody asked for last; null for none. */
export function useTourWish(): TourWish | null {
  return useSyncExternalStore(subscribe, () => wish)
}

const storageKey = 'easydash:tour'

/** The tour that ran when this tab was loaded again; null for none. */
export function keptTour(): TourWish | null {
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
    // Nothing usable is kept: no tour goes on.
    return null
  }
}

/** Keeps where a tour stands, so that it goes on after a reload; null when it has ended. */
export function keepTour(tour: TourWish | null): void {
  try {
    if (tour) sessionStorage.setItem(storageKey, JSON.stringify(tour))
    else sessionStorage.removeItem(storageKey)
  } catch {
    // Without storage a tour does not survive a reload; nothing else depends on it.
  }
}
