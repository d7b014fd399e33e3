import { useSyncExternalStore } from 'react'

let since: number | null = null
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says that nothing reaches the server since then (ms since epoch), or with null that something does. */
export function setOfflineSince(at: number | null): void {
  if (at === since) return
  since = at
  for (const listener of listeners) listener()
}

/** Since when nothing reaches the server (ms since epoch); null while something does. What writes is held back meanwhile. */
export function useOfflineSince(): number | null {
  return useSyncExternalStore(subscribe, () => since)
}
