import { useSyncExternalStore } from 'react'

/** Tones of a toast (docs/contracts/screens.md, section 3). */
export type ToastVariant = 'default' | 'success' | 'info' | 'warning' | 'danger'

/** A short notice. Titles of failures are fixed texts of docs/contracts/screens.md, section 8. */
export interface ToastInput {
  title: string
  description?: string
  variant?: ToastVariant
  /**
   * One button, e.g. Undo. Exactly one of `onClick` and `href`. `lasting`: pressed later, too, it does what it says and
   * overwrites nothing that came after; then the tray offers it as well.
   */
  action?: { label: string; onClick?: () => void; href?: string; lasting?: boolean }
}

/** A toast as it is kept: `at` is ms since epoch. */
export interface Toast extends ToastInput {
  id: number
  at: number
  variant: ToastVariant
}

/** How long one stays (docs/contracts/screens.md, section 9). */
export const toastDurationMs = 5000
/** How far a finger must push it away, in px (docs/contracts/screens.md, section 9). */
export const toastSwipePx = 50
/** More than anybody reads of one visit; without a bound a page left open for weeks would grow. */
const kept = 200

interface State {
  /** The one on screen. */
  current: Toast | null
  /** All of this page's life, newest first: the tray lists them. */
  history: readonly Toast[]
}

let state: State = { current: null, history: [] }
let lastId = 0
const listeners = new Set<() => void>()

function set(next: State): void {
  state = next
  for (const listener of listeners) listener()
}

/** Shows a toast; it takes the place of the one before, which stays in the tray. Returns its id. */
export function showToast(input: ToastInput): number {
  lastId += 1
  const toast: Toast = { variant: 'default', ...input, id: lastId, at: Date.now() }
  set({ current: toast, history: [toast, ...state.history].slice(0, kept) })
  return toast.id
}

/** Takes a toast off the screen; without id, whichever is there. */
export function dismissToast(id?: number): void {
  if (state.current && (id === undefined || state.current.id === id)) set({ ...state, current: null })
}

/** Does what a toast's button says, once: neither the screen nor the tray offers it again. */
export function takeToastAction({ id, action }: Toast): void {
  dismissToast(id)
  if (!action?.onClick) return
  const history = state.history.map((toast) => {
    if (toast.id !== id) return toast
    const { action: _taken, ...told } = toast
    return told
  })
  set({ ...state, history })
  action.onClick()
}

/** Forgets everything. */
export function clearToasts(): void {
  set({ current: null, history: [] })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The toasts in a component. */
export function useToasts(): State {
  return useSyncExternalStore(subscribe, () => state)
}
