import { useSyncExternalStore } from 'react'
import { hasReachedLimit } from '#web/lib/api/plan-limits.ts'
import type { Subscription } from '#web/lib/session/session.tsx'

/** What plans limit. */
export type Limited = 'site' | 'server'

let asked: Limited | null = null
const listeners = new Set<() => void>()

/** Says over whatever page is open why no other one can be created, and what helps; null closes it. */
export function sayLimit(resource: Limited | null): void {
  asked = resource
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What is being said; null for nothing. */
export function useSaidLimit(): Limited | null {
  return useSyncExternalStore(subscribe, () => asked)
}

/** What the page at `path` creates, when the plan has no room for another one; null: the way is open. */
export function fullAt(path: string, subscription: Subscription | null): Limited | null {
  const resource = path === '/site/create' ? 'site' : path === '/server/create' ? 'server' : null
  return resource !== null && hasReachedLimit(subscription, resource) ? resource : null
}
