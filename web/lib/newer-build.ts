import { CodeMissing } from './code.ts'

/** How long the server may take to say which build it has. */
const patienceMs = 4000
const reloadedFor = 'easydash:reloaded'

/** Where a page's entry is; its name holds a hash of the whole app. Null for a page that is not ours. */
const entryOf = (page: Document): string | null =>
  page.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null

/** The entry of the app the server has now; null when nobody answers, or something else than the app. */
async function servedEntry(): Promise<string | null> {
  try {
    const response = await fetch('/web/', { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
    return response.ok ? entryOf(new DOMParser().parseFromString(await response.text(), 'text/html')) : null
  } catch {
    // Offline, or the server is away: what runs here is all there is.
    return null
  }
}

/** Whether the server has another build of the app than the one that runs here. False when it does not answer. */
export async function isOutdated(): Promise<boolean> {
  const entry = await servedEntry()
  return entry !== null && entry !== entryOf(document)
}

/**
 * What helps against code that did not come: `retry` while it is the network's, `outdated` (reload) when the server has
 * another build of the app than runs here, `stuck` (reload) when the browser would not try again. Without an answer of
 * the server it is never a reload: that would lose the page.
 */
export async function wayOut(failure: unknown): Promise<'retry' | 'outdated' | 'stuck'> {
  const entry = await servedEntry()
  if (entry === null) return 'retry'
  if (entry !== entryOf(document)) return 'outdated'
  return failure instanceof CodeMissing && failure.stuck ? 'stuck' : 'retry'
}

/** What people read with each way out. */
export const missingText = { retry: 'code.missing', outdated: 'code.outdated', stuck: 'code.stuck' } as const

/**
 * Loads the page anew if the server has a newer app, once for each: for screens on which nothing can be lost. Offline it
 * does nothing, a reload would lose the page.
 */
export async function reloadIfOutdated(): Promise<void> {
  const entry = await servedEntry()
  if (entry === null || entry === entryOf(document)) return
  try {
    if (sessionStorage.getItem(reloadedFor) === entry) return
    sessionStorage.setItem(reloadedFor, entry)
  } catch {
    // Storage is switched off: without a memory it could go on for ever, so people reload themselves.
    return
  }
  location.reload()
}
