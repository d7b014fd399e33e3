/** How long the server may take to say which build it has. */
const patienceMs = 4000
const reloadedFor = 'easydash:reloaded'

/** Where a page's entry is; its name holds a hash of the whole app. Null for a page that is not ours. */
const entryOf = (page: Document): string | null =>
  page.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null

/** The entry of the app the server has now when it is not the one that runs here; null too when nobody answers. */
async function newerEntry(): Promise<string | null> {
  try {
    const response = await fetch('/web/', { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
    if (!response.ok) return null
    const served = entryOf(new DOMParser().parseFromString(await response.text(), 'text/html'))
    return served === entryOf(document) ? null : served
  } catch {
    // Offline, or the server is away: what runs here is all there is.
    return null
  }
}

/** Whether the server has another build of the app than the one that runs here. False when it does not answer. */
export async function isOutdated(): Promise<boolean> {
  return (await newerEntry()) !== null
}

/**
 * Loads the page anew if the server has a newer app, once for each: for screens on which nothing can be lost. Offline it
 * does nothing, a reload would lose the page.
 */
export async function reloadIfOutdated(): Promise<void> {
  const entry = await newerEntry()
  if (entry === null) return
  try {
    if (sessionStorage.getItem(reloadedFor) === entry) return
    sessionStorage.setItem(reloadedFor, entry)
  } catch {
    // Storage is switched off: without a memory it could go on for ever, so people reload themselves.
    return
  }
  location.reload()
}
