import { useSyncExternalStore } from 'react'
import type { Doctype } from '#shared/doctype.ts'

/** An action started in this tab that can be undone once its job has completed. */
export interface UndoOffer {
  readonly type: Doctype
  /** Name of the document. */
  readonly name: string
  /** The action that undoes it. */
  readonly undo: string
  readonly job: string
}

let offers: readonly UndoOffer[] = []
const listeners = new Set<() => void>()

function set(next: readonly UndoOffer[]): void {
  offers = next
  for (const listener of listeners) listener()
}

/** Offers undo in a toast when the job has succeeded. */
export function offerUndo(offer: UndoOffer): void {
  set([...offers, offer])
}

/** Removes the offer when its job has ended. */
export function removeUndoOffer(job: string): void {
  set(offers.filter((offer) => offer.job !== job))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Offers whose jobs are still running. */
export function useUndoOffers(): readonly UndoOffer[] {
  return useSyncExternalStore(subscribe, () => offers)
}
