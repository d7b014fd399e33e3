/**
 * Asks for confirmation before unsaved work is lost by a navigation (`router-blocker.tsx`), by logging out, or by
 * closing the tab, where the browser itself asks.
 */

/** Registered by a component with unsaved work. */
export interface NavigationBlocker {
  /** Called when the user chose to leave. */
  dropped(): void
}

/** A navigation or other way to leave that waits for confirmation. */
export interface BlockedNavigation {
  /** Continues; what is unsaved is dropped. */
  leave(): void
  stay(): void
}

const guards = new Set<NavigationBlocker>()
const listeners = new Set<() => void>()
let blocked: BlockedNavigation | null = null

function publish(next: BlockedNavigation | null): void {
  blocked = next
  for (const listener of listeners) listener()
}

/** The pending confirmation; null if nobody is trying to leave. For `useSyncExternalStore`. */
export const leaveConfirmation = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  current: (): BlockedNavigation | null => blocked,
  /** Whether this blocker shows the dialog; with several on a page, only the first does. */
  isFor: (guard: NavigationBlocker): boolean => [...guards][0] === guard,
}

const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Asks the user for confirmation before leaving, until the returned function is called. */
export function addNavigationBlocker(guard: NavigationBlocker): () => void {
  guards.add(guard)
  addEventListener('beforeunload', onUnload)
  return () => {
    guards.delete(guard)
    if (guards.size > 0) return
    // Everything was saved meanwhile: there is nothing left to ask.
    if (blocked) blocked.leave()
    else releaseNavigationBlockers()
  }
}

/** Whether leaving would lose unsaved work. */
export function hasUnsavedWork(): boolean {
  return guards.size > 0
}

/** Calls `go` immediately, or after confirmation if there is unsaved work. `onStay` is called if the user cancels. */
export function confirmThenNavigate(go: () => void, onStay?: () => void): void {
  if (!hasUnsavedWork()) {
    go()
    return
  }
  publish({
    leave() {
      discardUnsavedWork()
      go()
    },
    stay() {
      publish(null)
      onStay?.()
    },
  })
}

/** Removes all blockers because the page has to unload. Saved drafts stay. */
export function releaseNavigationBlockers(): void {
  removeEventListener('beforeunload', onUnload)
  guards.clear()
  publish(null)
}

/** Removes all blockers and drops their unsaved work, after the user confirmed. */
export function discardUnsavedWork(): void {
  const leaving = [...guards]
  releaseNavigationBlockers()
  for (const guard of leaving) guard.dropped()
}
