import { useSyncExternalStore } from 'react'
import { hasReachedLimit } from '#web/lib/api/plan-limits.ts'
import type { Subscription } from '#web/lib/session/session.tsx'

/** Resources that plans limit. */
export type Limited = 'site' | 'server'

let limited: Limited | null = null
const listeners = new Set<() => void>()

/** Shows over the current page why no more can be created and what to do; null closes it. */
export function showLimit(resource: Limited | null): void {
  limited = resource
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The limit being shown; null if none. */
export function useLimitNotice(): Limited | null {
  return useSyncExternalStore(subscribe, () => limited)
}

/** The resource that the page at `path` creates if the plan's limit is reached; null if it can be created. */
export function limitReachedAt(path: string, subscription: Subscription | null): Limited | null {
  const resource = path === '/site/create' ? 'site' : path === '/server/create' ? 'server' : null
  return resource !== null && hasReachedLimit(subscription, resource) ? resource : null
}
