/**
 * Asks before something would be lost by leaving: by a navigation (`navigation-blocker.tsx`), by logging out, and by closing
 * the tab, which the browser itself asks about.
 */

/** What somebody has who would lose it. */
export interface NavigationBlocker {
  /** The person left on purpose. */
  dropped(): void
}

/** A navigation, or another way to leave, that waits for an answer. */
export interface BlockedNavigation {
  /** Drops what there is and goes on. */
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

/** What waits for an answer; null while nobody tries to leave. For `useSyncExternalStore`, like `isGuarded`. */
export const leaveQuestion = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  current: (): BlockedNavigation | null => blocked,
  /** Of several guards on a page one asks. */
  askedBy: (guard: NavigationBlocker): boolean => [...guards][0] === guard,
}

const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Has the person asked before leaving, until the returned function is called. */
export function addNavigationBlocker(guard: NavigationBlocker): () => void {
  guards.add(guard)
  addEventListener('beforeunload', onUnload)
  publish(blocked)
  return () => {
    guards.delete(guard)
    if (guards.size === 0) releaseNavigationBlockers()
  }
}

/** Whether something would be lost by leaving. */
export function isGuarded(): boolean {
  return guards.size > 0
}

/** Goes on at once, or where something would be lost, when the person said so. `onStay`: they did not. */
export function leaveThen(go: () => void, onStay?: () => void): void {
  if (!isGuarded()) {
    go()
    return
  }
  publish({
    leave() {
      dropGuarded()
      go()
    },
    stay() {
      publish(null)
      onStay?.()
    },
  })
}

/** Asks nobody any more, because the page cannot stay; what the guards kept stays kept. */
export function releaseNavigationBlockers(): void {
  removeEventListener('beforeunload', onUnload)
  guards.clear()
  publish(null)
}

/** Asks nobody any more and drops what there is: the person said so. */
export function dropGuarded(): void {
  const leaving = [...guards]
  releaseNavigationBlockers()
  for (const guard of leaving) guard.dropped()
}
