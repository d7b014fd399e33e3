import { useSyncExternalStore } from 'react'

let since: number | null = null
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Records when the server became unreachable (ms since epoch); null when it is reachable. */
export function setOfflineSince(at: number | null): void {
  if (at === since) return
  since = at
  for (const listener of listeners) listener()
}

/** When the server became unreachable (ms since epoch); null while it is reachable. Writes are disabled while offline. */
export function useOfflineSince(): number | null {
  return useSyncExternalStore(subscribe, () => since)
}
