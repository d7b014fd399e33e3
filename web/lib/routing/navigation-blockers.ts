/**
 * Asks before something would be lost by leaving: by a navigation (`navigation-blocker.tsx`), by logging out, and by closing
 * the tab, which the browser itself asks about.
 */

/** What somebody has who would lose it. */
export interface LeaveGuard {
  /** The person left on purpose. */
  dropped(): void
}

/** A navigation, or another way to leave, that waits for an answer. */
export interface BlockedLeave {
  /** Drops what there is and goes on. */
  leave(): void
  stay(): void
}

const guards = new Set<LeaveGuard>()
const listeners = new Set<() => void>()
let blocked: BlockedLeave | null = null

function publish(next: BlockedLeave | null): void {
  blocked = next
  for (const listener of listeners) listener()
}

/** What waits for an answer; null while nobody tries to leave. For `useSyncExternalStore`, like `isGuarded`. */
export const leaveQuestion = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  current: (): BlockedLeave | null => blocked,
  /** Of several guards on a page one asks. */
  askedBy: (guard: LeaveGuard): boolean => [...guards][0] === guard,
}

const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Has the person asked before leaving, until the returned function is called. */
export function addLeaveGuard(guard: LeaveGuard): () => void {
  guards.add(guard)
  addEventListener('beforeunload', onUnload)
  publish(blocked)
  return () => {
    guards.delete(guard)
    if (guards.size === 0) releaseLeaveGuards()
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
export function releaseLeaveGuards(): void {
  removeEventListener('beforeunload', onUnload)
  guards.clear()
  publish(null)
}

/** Asks nobody any more and drops what there is: the person said so. */
export function dropGuarded(): void {
  const leaving = [...guards]
  releaseLeaveGuards()
  for (const guard of leaving) guard.dropped()
}
