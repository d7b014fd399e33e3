import type { Navigator } from './history.ts'

/**
 * Stops leaving while something would be lost. The roads out of a page are watched here: the router's `push` and
 * `replace` (links, menus, keys), the browser's back and forward, and closing the tab, which the browser itself asks about.
 */

/** Where a road leads, as the address bar names it. */
interface Place {
  readonly pathname?: string
  readonly hash?: string
}

/** What somebody has who would lose it. */
export interface LeaveGuard {
  /** The person left on purpose. */
  dropped(): void
}

/** A road that was stopped. */
export interface StoppedRoad {
  /** Drops what there is and goes on. */
  leave(): void
  stay(): void
}

const guards = new Set<LeaveGuard>()
const listeners = new Set<() => void>()
let stopped: StoppedRoad | null = null
let unwatch: (() => void) | null = null

function publish(next: StoppedRoad | null): void {
  stopped = next
  for (const listener of listeners) listener()
}

/** The road that waits for an answer; null while nobody tries to leave. For `useSyncExternalStore`. */
export const leaveQuestion = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  current: (): StoppedRoad | null => stopped,
  /** Of several guards on a page one asks. */
  askedBy: (guard: LeaveGuard): boolean => [...guards][0] === guard,
}

/** Stops every road out of the page until the returned function is called. A road to the same page and tab is none. */
export function addLeaveGuard(guard: LeaveGuard, navigator: Navigator): () => void {
  guards.add(guard)
  unwatch ??= watch(navigator)
  return () => {
    guards.delete(guard)
    if (guards.size > 0) return
    unwatch?.()
    unwatch = null
    publish(null)
  }
}

/** Goes on at once, or where something would be lost, when the person said so. */
export function leaveThen(go: () => void): void {
  if (guards.size > 0) stop(go)
  else go()
}

/** Whether something would be lost by leaving. */
export function isGuarded(): boolean {
  return guards.size > 0
}

/** Opens every road, because the page cannot stay; what the guards kept stays kept. */
export function releaseLeaveGuards(): void {
  unwatch?.()
  unwatch = null
  guards.clear()
  publish(null)
}

/** Opens every road and drops what there is: the person said so. */
export function dropGuarded(): void {
  const leaving = [...guards]
  releaseLeaveGuards()
  for (const guard of leaving) guard.dropped()
}

function stop(go: () => void): void {
  publish({
    leave() {
      dropGuarded()
      go()
    },
    stay: () => publish(null),
  })
}

/** The router's position in the browser's history; null for entries it did not make. */
function indexOf(state: unknown): number | null {
  const index = typeof state === 'object' && state !== null && 'idx' in state ? state.idx : null
  return typeof index === 'number' ? index : null
}

function watch(navigator: Navigator): () => void {
  const { push, replace } = navigator
  let here = { pathname: location.pathname, hash: location.hash, index: indexOf(history.state) }
  let returning = false

  const arrived = () => {
    here = { pathname: location.pathname, hash: location.hash, index: indexOf(history.state) }
  }
  const stays = ({ pathname = here.pathname, hash = '' }: Place) => pathname === here.pathname && hash === here.hash
  const guarded =
    (go: Navigator['push']): Navigator['push'] =>
    (to, ...rest) => {
      if (!stays(to)) {
        stop(() => go(to, ...rest))
        return
      }
      go(to, ...rest)
      arrived()
    }
  const stopsPop = (event: PopStateEvent): boolean => {
    if (returning) {
      // Back where the page still is; the router never knew that we were away.
      returning = false
      return true
    }
    const there = indexOf(event.state)
    if (stays(location) || here.index === null || there === null || there === here.index) {
      arrived()
      return false
    }
    const steps = there - here.index
    returning = true
    history.go(-steps)
    stop(() => history.go(steps))
    return true
  }
  const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

  navigator.push = guarded(push)
  navigator.replace = guarded(replace)
  navigator.stops = stopsPop
  addEventListener('beforeunload', onUnload)
  return () => {
    navigator.push = push
    navigator.replace = replace
    navigator.stops = null
    removeEventListener('beforeunload', onUnload)
  }
}
