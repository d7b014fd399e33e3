import { useSyncExternalStore } from 'react'
import type { Doctype } from '#shared/doctype.ts'

/** Something that this tab started and that its person can take back once the job has done it. */
export interface UndoOffer {
  readonly type: Doctype
  /** Of the document. */
  readonly name: string
  /** The action that takes it back. */
  readonly undo: string
  readonly job: string
}

let offers: readonly UndoOffer[] = []
const listeners = new Set<() => void>()

function set(next: readonly UndoOffer[]): void {
  offers = next
  for (const listener of listeners) listener()
}

/** Offers to take it back, by toast, when the job has ended well. */
export function offerUndo(offer: UndoOffer): void {
  set([...offers, offer])
}

/** Its job has ended: nothing waits for it any more. */
export function dropOffer(job: string): void {
  set(offers.filter((offer) => offer.job !== job))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Offers whose jobs have not ended yet. */
export function useUndoOffers(): readonly UndoOffer[] {
  return useSyncExternalStore(subscribe, () => offers)
}
