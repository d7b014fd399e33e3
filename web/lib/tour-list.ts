/** A guided tour that the help offers to play again. */
export interface OfferedTour {
  /** Name by the specification, e.g. `onboarding`. */
  name: string
  title: string
  start: () => void
}

const offered = new Map<string, OfferedTour>()

/** Puts a tour into the help; its code declares it once, when it is loaded. */
export function offerTour(tour: OfferedTour): void {
  offered.set(tour.name, tour)
}

/** The tours the help can play, in the order in which they were declared. */
export function offeredTours(): readonly OfferedTour[] {
  return [...offered.values()]
}
