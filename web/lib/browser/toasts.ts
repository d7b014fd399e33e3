import { useSyncExternalStore } from 'react'

/** Tones of a toast (docs/contracts/screens.md, section 3). */
export type ToastVariant = 'default' | 'success' | 'info' | 'warning' | 'danger'

/** A short message. Titles of failures are fixed texts (docs/contracts/screens.md, section 8). */
export interface ToastInput {
  title: string
  description?: string
  variant?: ToastVariant
  /** Announced when the user pauses, also if it is a failure: nobody is waiting for it here. */
  polite?: true
  /**
   * One button, e.g. Undo, with exactly one of `onClick` and `href`. `lasting`: the action still works later without
   * overwriting newer changes, so the tray offers it too.
   */
  action?: { label: string; onClick?: () => void; href?: string; lasting?: boolean }
}

/** A stored toast; `at` is ms since epoch, `version` counts its updates. */
export interface Toast extends ToastInput {
  id: number
  version: number
  at: number
  variant: ToastVariant
}

/** How long a toast is shown (docs/contracts/screens.md, section 9). */
export const toastDurationMs = 5000
/** Swipe distance that dismisses a toast, in px (docs/contracts/screens.md, section 9). */
export const toastSwipePx = 50
/** Maximum toasts kept, so that a page left open for weeks doesn't grow. */
const kept = 200

interface State {
  /** The toast on screen. */
  current: Toast | null
  /** All toasts since the page loaded, newest first, for the tray. */
  history: readonly Toast[]
}

let state: State = { current: null, history: [] }
let lastId = 0
const listeners = new Set<() => void>()

function set(next: State): void {
  state = next
  for (const listener of listeners) listener()
}

/** Shows a toast. It replaces the current one, which stays in the tray. Returns its ID. */
export function showToast(input: ToastInput): number {
  lastId += 1
  const toast: Toast = { variant: 'default', ...input, id: lastId, version: 0, at: Date.now() }
  set({ current: toast, history: [toast, ...state.history].slice(0, kept) })
  return toast.id
}

/**
 * Replaces what a toast says, on screen and in the tray, and starts its time again. If it is no longer on screen, this is shown
 * as a new toast. Returns the ID.
 */
export function updateToast(id: number, input: ToastInput): number {
  if (state.current?.id !== id) return showToast(input)
  const toast: Toast = { variant: 'default', ...input, id, version: state.current.version + 1, at: Date.now() }
  set({ current: toast, history: state.history.map((kept) => (kept.id === id ? toast : kept)) })
  return id
}

/** Dismisses a toast; without an ID, the current one. */
export function dismissToast(id?: number): void {
  if (state.current && (id === undefined || state.current.id === id)) set({ ...state, current: null })
}

/** Runs a toast's action once; then neither the screen nor the tray offers it. */
export function takeToastAction({ id, action }: Toast): void {
  dismissToast(id)
  if (!action?.onClick) return
  const history = state.history.map((toast) => {
    if (toast.id !== id) return toast
    const { action: _taken, ...rest } = toast
    return rest
  })
  set({ ...state, history })
  action.onClick()
}

/** Removes all toasts. */
export function clearToasts(): void {
  set({ current: null, history: [] })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Subscribes a component to the toasts. */
export function useToasts(): State {
  return useSyncExternalStore(subscribe, () => state)
}
