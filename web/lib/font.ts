import geist from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'

/**
 * Brings the app's font. Not by a rule of the style sheet: words stand in the system's font at its metrics until then
 * (styles/base.css), and its 30 kB shall not compete with the script and the data that are read. Public pages come with
 * it (index.html), who comes back has it in the cache.
 */
export async function loadFont(): Promise<void> {
  const asked = document.querySelector('link[rel=preload][as=font]') !== null
  try {
    const source = asked ? `url(${geist}) format("woff2")` : await fetchLate()
    document.fonts.add(await new FontFace('Geist', source, { weight: '100 900', display: 'swap' }).load())
  } catch {
    // No network: words are read in the system's font as well.
  }
}

async function fetchLate(): Promise<ArrayBuffer> {
  const answer = await fetch(geist, { priority: 'low' })
  return await answer.arrayBuffer()
}
