import { useSyncExternalStore } from 'react'

/** How long the server may take to say which build it has. */
const timeoutMs = 4000
const reloadedFor = 'easydash:reloaded'

/** Address of a page's entry; its name holds a hash of the whole app. Null for a page that is not ours. */
const entryOf = (page: Document): string | null =>
  page.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null

/** The entry of the build the server has now; null when it does not answer, or with something else than the app. */
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

/** Whether the server was found to have another build of the app than the one that runs here: the banner offers a reload. */
export function useOutdated(): boolean {
  return useSyncExternalStore(subscribe, () => outdated)
}

/** Asks the server which build it has. Without an answer nothing changes. */
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

/** Whether an error is that of code that could not be loaded, and not a defect of what was loaded. */
export function isFailedImport(error: unknown): boolean {
  return error instanceof Error && failedImports.has(error)
}

/**
 * Loads the page again if the server answers; offline that would lose the page. Browsers never repeat an `import()` that
 * failed (https://github.com/whatwg/html/issues/6768), so only this brings back code that could not be loaded.
 */
export async function reloadIfReachable(): Promise<void> {
  if ((await servedEntry()) !== null) location.reload()
}

/**
 * Loads the page again if the server has a newer build, once for each: for screens on which nothing can be lost. Offline it
 * does nothing, a reload would lose the page.
 */
export async function reloadIfOutdated(): Promise<void> {
  const entry = await servedEntry()
  if (entry === null || entry === entryOf(document)) return
  try {
    if (sessionStorage.getItem(reloadedFor) === entry) return
    sessionStorage.setItem(reloadedFor, entry)
  } catch {
    // Storage is switched off: without it, it could go on for ever, so people reload themselves.
    return
  }
  location.reload()
}
