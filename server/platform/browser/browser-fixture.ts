/** A process that starts a browser and waits to be killed: `node browser-fixture.ts NOTE_FILE CACHE_DIR`. For tests. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BrowserStartError, startBrowser } from './browser-process.ts'
import { findBrowser, hasBrowser } from './find-browser.ts'

/** Account of the browser when running as root. */
export const fixtureUid: number | null = process.getuid?.() === 0 ? 53_998 : null

/** The browser cache shared by tests and product. */
export const fixtureCache: string = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'easydash')

/** Starts a browser the same way the product does. */
export async function startFixtureBrowser(noteFile: string, cacheDir: string) {
  const account = fixtureUid === null ? undefined : { uid: fixtureUid, gid: fixtureUid, switches: true }
  const program = await findBrowser({ configured: null, cacheDir, account })
  if (program === null) throw new Error('This machine has no browser.')
  const signal = AbortSignal.timeout(300_000)
  return startBrowser({ program, noteFile, uid: fixtureUid, memoryMb: 1_200, signal })
}

/** Whether tests can start a browser: false if there is none, or if the system doesn't allow its sandbox. */
export async function browserStarts(): Promise<boolean> {
  if (!hasBrowser({ configured: null })) return false
  const folder = await mkdtemp(join(tmpdir(), 'browser-probe-'))
  try {
    await startFixtureBrowser(join(folder, 'browser.json'), fixtureCache).then((browser) => browser.close())
    return true
  } catch (error) {
    if (error instanceof BrowserStartError && error.sandbox) return false
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const [, , noteFile = '', cacheDir = ''] = process.argv
  await startFixtureBrowser(noteFile, cacheDir)
  process.stdout.write('started\n')
  setInterval(() => undefined, 1_000)
}
