import { useSyncExternalStore } from 'react'

/** Timeout of the request for the server's current build. */
const timeoutMs = 4000
const reloadedFor = 'easydash:reloaded'

/** URL of a page's entry script; its name contains a hash of the whole app. Null if the page isn't this app's. */
const entryOf = (page: Document): string | null =>
  page.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null

/** Entry script of the server's current build; null if there is no response or it isn't the app. */
async function servedEntry(): Promise<string | null> {
  try {
    const response = await fetch('/web/', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    return response.ok ? entryOf(new DOMParser().parseFromString(await response.text(), 'text/html')) : null
  } catch {
    // Offline, or the server is down.
    return null
  }
}

let outdated = false
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the server has a different build than the one running here. If so, the banner offers a reload. */
export function useIsOutdated(): boolean {
  return useSyncExternalStore(subscribe, () => outdated)
}

/** Checks which build the server has. Does nothing without a response. */
export async function checkBuild(): Promise<void> {
  const entry = await servedEntry()
  if (entry === null) return
  outdated = entry !== entryOf(document)
  for (const listener of listeners) listener()
}

const failedImports = new WeakSet<Error>()

// Vite dispatches this for each `import()` of a build that fails (https://vite.dev/guide/build#load-error-handling).
addEventListener('vite:preloadError', ({ payload }) => {
  failedImports.add(payload)
  void checkBuild()
})

/** Whether an error is a failed `import()`, as opposed to a bug in the loaded code. */
export function isFailedImport(error: unknown): boolean {
  return error instanceof Error && failedImports.has(error)
}

/**
 * Reloads the page if the server responds; a reload while offline would lose the page. Browsers never retry a failed
 * `import()` (https://github.com/whatwg/html/issues/6768), so a reload is the only way to recover.
 */
export async function reloadIfReachable(): Promise<void> {
  if ((await servedEntry()) !== null) location.reload()
}

/**
 * Reloads the page if the server has a newer build, once per build. For screens without unsaved input. Does nothing offline,
 * where a reload would lose the page.
 */
export async function reloadIfOutdated(): Promise<void> {
  const entry = await servedEntry()
  if (entry === null || entry === entryOf(document)) return
  try {
    if (sessionStorage.getItem(reloadedFor) === entry) return
    sessionStorage.setItem(reloadedFor, entry)
  } catch {
    // Storage is blocked. Without it the page could reload forever, so users reload it themselves.
    return
  }
  location.reload()
}
