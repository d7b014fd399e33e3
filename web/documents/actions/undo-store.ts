import { useSyncExternalStore } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import type { UndoCall } from '#shared/undo.ts'

/** A change made in this tab that can be undone: at once, or once its job has completed. */
export interface UndoOffer {
  readonly type: Doctype
  /** Name of the document. */
  readonly name: string
  /** The call that undoes it. */
  readonly undo: UndoCall
  /** The job that makes the change; null: it is made. */
  readonly job: string | null
}

/** What a change left in the fields that it concerns, or the newest job of the document if it is in no field. */
export type LeftValues = Readonly<Record<string, unknown>>

/** An offer of a job that has completed. */
export interface ReadyUndo {
  readonly offer: UndoOffer
  readonly left: Promise<LeftValues>
}

interface State {
  readonly pending: readonly UndoOffer[]
  readonly ready: readonly ReadyUndo[]
}

/** Offers of completed jobs that are kept for their drawers. */
const kept = 20

let state: State = { pending: [], ready: [] }
const listeners = new Set<() => void>()

function set(next: State): void {
  state = next
  for (const listener of listeners) listener()
}

/** Offers undo in a toast and in the drawer of the job when that has succeeded. */
export function offerUndo(offer: UndoOffer): void {
  set({ ...state, pending: [...state.pending, offer] })
}

/** Removes the offer when its job has ended. */
export function removeUndoOffer(job: string): void {
  set({ ...state, pending: state.pending.filter((offer) => offer.job !== job) })
}

/** Keeps the offer of a completed job for its drawer. */
export function keepReadyUndo(ready: ReadyUndo): void {
  set({ ...state, ready: [ready, ...state.ready].slice(0, kept) })
}

/** Ends the offer of a completed job: it was undone, or something else came after it. */
export function endReadyUndo(job: string | null): void {
  if (state.ready.some(({ offer }) => offer.job === job))
    set({ ...state, ready: state.ready.filter(({ offer }) => offer.job !== job) })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Offers whose jobs are still running. */
export function useUndoOffers(): readonly UndoOffer[] {
  return useSyncExternalStore(subscribe, () => state.pending)
}

/** The offer of a completed job; null if there is none. */
export function useReadyUndo(job: string): ReadyUndo | null {
  return useSyncExternalStore(subscribe, () => state.ready.find(({ offer }) => offer.job === job) ?? null)
}
