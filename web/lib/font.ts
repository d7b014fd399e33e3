import geist from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'
import { whenSecondLine } from './second-line.ts'

/** Where this browser keeps which font it has: there it is in the cache, and costs nothing. */
const storageKey = 'easydash:font'

/**
 * Brings the app's font. Not by a rule of the style sheet: words stand in the system's font at its metrics until then
 * (styles/base.css), and its 30 kB shall not compete with the script and the data that are read. Public pages come with
 * it (index.html); who comes without it gets it when the first page stands.
 */
export async function loadFont(): Promise<void> {
  try {
    const source = isAtHand() ? `url(${geist}) format("woff2")` : await fetchLate()
    document.fonts.add(await new FontFace('Geist', source, { weight: '100 900', display: 'swap' }).load())
    localStorage.setItem(storageKey, geist)
  } catch {
    // No network, or storage is blocked: words are read in the system's font as well.
  }
}

function isAtHand(): boolean {
  if (document.querySelector('link[rel=preload][as=font]')) return true
  try {
    return localStorage.getItem(storageKey) === geist
  } catch {
    return false
  }
}

async function fetchLate(): Promise<ArrayBuffer> {
  await whenSecondLine()
  const answer = await fetch(geist, { priority: 'low' })
  return await answer.arrayBuffer()
}
