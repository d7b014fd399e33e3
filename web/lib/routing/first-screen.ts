import { useSyncExternalStore } from 'react'

/*
 * The shell of a first visit is drawn as soon as its own code is here, while that of its page and what it reads first are still loaded.
 * Not by `Suspense`: React keeps back for a third of a second what replaces a placeholder, and draws it in slices.
 */
let arriving: Promise<void> = Promise.resolve()
let isHere = true
let onArrival: (() => void) | undefined

/** Keeps the page back until `ready` is settled. */
export function awaitFirstScreen(ready: Promise<unknown>): void {
  isHere = false
  const arrive = (): void => {
    isHere = true
    onArrival?.()
  }
  arriving = ready.then(arrive, arrive)
}

/** Resolves once the page can be drawn. */
export const firstScreen = (): Promise<void> => arriving

const subscribe = (listener: () => void): (() => void) => {
  onArrival = listener
  return () => (onArrival = undefined)
}

/** Whether the page can be drawn. For one component, around it. */
export const useFirstScreen = (): boolean => useSyncExternalStore(subscribe, () => isHere)
