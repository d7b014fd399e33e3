/**
 * The browser of the e2e run: one that is installed, else Chromium from npm. Pages opened with it are our own and those
 * of sites made by the test, so Chromium's sandbox is not asked for (it does not start as root nor in most containers).
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const cacheFolder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'easydash')

/** What Playwright's `launchOptions` need. */
export interface Browser {
  executablePath: string
  env: Record<string, string>
}

/**
 * `EASYDASH_BROWSER`, else an installed Chrome or Chromium, else the one from npm, unpacked into the cache (1.2 s).
 * @throws Error when this system has none: npm carries it for Linux on x64 only
 */
export async function findBrowser(): Promise<Browser> {
  const installed = process.env['EASYDASH_BROWSER'] ?? installedBrowsers().find((path) => existsSync(path))
  if (installed !== undefined) return { executablePath: installed, env: {} }
  if (process.platform === 'linux' && process.arch === 'x64') return await packagedBrowser()
  throw new Error('The end-to-end tests need Chrome or Chromium. Install one, or name it in EASYDASH_BROWSER.')
}

function installedBrowsers(): string[] {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return [
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
}

/** Unpacks once per version, beside the final place and renamed at the end: half a browser is never found. */
async function packagedBrowser(): Promise<Browser> {
  const folder = join(cacheFolder, `chromium-${packageJson.devDependencies['@sparticuz/chromium']}`)
  if (!existsSync(folder)) {
    await mkdir(cacheFolder, { recursive: true })
    const fresh = await mkdtemp(join(cacheFolder, 'chromium-new-'))
    await unpackInto(fresh)
    // Two runs at once: the second finds the folder filled and keeps the first one's.
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  const executablePath = join(folder, 'chromium')
  return { executablePath, env: { ...(await ownLibraries(executablePath)), ...ownFonts(folder) } }
}

/** The package unpacks to the temporary folder and brings its libraries only on AWS: so it is told both, in a child. */
async function unpackInto(folder: string): Promise<void> {
  const code = "import('@sparticuz/chromium').then((module) => module.default.executablePath())"
  await run(process.execPath, ['--eval', code], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="relative">cache</cachedir></fontconfig>`
  await writeFile(join(folder, 'fonts', 'fonts.conf'), fonts)
}

/** A slim system lacks NSS; mixing the packaged one into a system that has it would be asking for trouble. */
async function ownLibraries(executablePath: string): Promise<Record<string, string>> {
  try {
    await run(executablePath, ['--no-sandbox', '--version'])
    return {}
  } catch {
    // It did not start by itself; if the packaged libraries are not the cure, Playwright reports why.
    return { LD_LIBRARY_PATH: join(dirname(executablePath), 'al2023', 'lib') }
  }
}

/** Without any font Chromium ends at the first text. */
function ownFonts(folder: string): Record<string, string> {
  return existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf') }
}
