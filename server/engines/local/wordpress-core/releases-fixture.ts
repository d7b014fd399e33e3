import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { portOf } from '#server/platform/network/port-of.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { CachedCore } from '../core/cached-core.ts'
import { prepareCore } from '../core/core-cache.ts'
import { makeZip } from '../core/zip-fixture.ts'
import { testCacheDir } from '../engine-fixture.ts'

/** A wordpress.org on this machine that has releases made of the cached one, and a cache of its own that has the cached one. */
export interface TestReleases {
  readonly url: string
  readonly cacheDir: string
  /** The version that both have. */
  readonly stored: string
  /** Offers a release: the files of the cached one, with these changes (null: left out). */
  add(version: string, changes: (read: (path: string) => string) => Readonly<Record<string, string | null>>): void
  /** Offers a plugin or theme in this version: its files, below its folder. */
  addPackage(type: 'plugin' | 'theme', slug: string, version: string, files: Readonly<Record<string, string>>): void
  close(): Promise<void>
}

/** Starts it. Tests need a WordPress of which they know each file; no version of it ever exists outside of a test. */
export async function startTestReleases(): Promise<TestReleases> {
  const core = await cachedCore()
  const cacheDir = await mkdtemp(join(tmpdir(), 'cores-'))
  await mkdir(join(cacheDir, 'wordpress', 'v1'), { recursive: true })
  await symlink(dirname(core.files), join(cacheDir, 'wordpress', 'v1', core.version))
  const original = await filesOf(core)
  const releases = new Map<string, Map<string, Buffer>>()
  const packages = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const offered = packages.get(path) ?? packages.get(informationOf(path))
    const checksums = releases.get(/^\/core\/checksums\/1\.0\/\?version=([\d.]+)&/.exec(path)?.[1] ?? '')
    const archive = releases.get(/^\/release\/wordpress-([\d.]+)\.zip$/.exec(path)?.[1] ?? '')
    if (path === '/core/stable-check/1.0/')
      response.end(JSON.stringify(Object.fromEntries([...releases.keys()].map((version) => [version, 'latest']))))
    else if (checksums) {
      const sums = [...checksums].map(([name, bytes]) => [name, createHash('md5').update(bytes).digest('hex')] as const)
      response.end(JSON.stringify({ checksums: Object.fromEntries(sums) }))
    } else if (archive) {
      const members = [...archive].map(([name, content]) => ({ name: `wordpress/${name}`, content, stored: true }))
      response.end(makeZip(members))
    } else if (offered) response.end(offered)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    cacheDir,
    stored: core.version,
    add(version, changes) {
      const files = new Map(original)
      const read = (path: string) => files.get(path)?.toString('utf8') ?? ''
      const all = { 'wp-includes/version.php': withVersion(read('wp-includes/version.php'), version), ...changes(read) }
      for (const [path, content] of Object.entries(all))
        if (content === null) files.delete(path)
        else files.set(path, Buffer.from(content))
      releases.set(version, files)
    },
    addPackage(type, slug, version, content) {
      const members = Object.entries(content).map(([name, text]) => ({
        name: `${slug}/${name}`,
        content: Buffer.from(text),
      }))
      packages.set(`${type} ${slug}`, Buffer.from(JSON.stringify({ version })))
      packages.set(`/${type}/${slug}.${version}.zip`, makeZip(members))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
      await rm(cacheDir, { recursive: true, force: true })
    },
  }
}

/** What a request for the newest version of a package asks for. */
function informationOf(path: string): string {
  const url = new URL(path, 'http://org')
  const [, type] = /^\/(plugin|theme)s\/info\/1\.2\/$/.exec(url.pathname) ?? []
  return `${type} ${url.searchParams.get('request[slug]')}`
}

/** `version.php` of another version. */
export const withVersion = (text: string, version: string): string =>
  text.replace(/\$wp_version = '[\w.-]+';/, `$wp_version = '${version}';`)

function cachedCore(): Promise<CachedCore> {
  const context = { log: () => undefined, progress: () => undefined, signal: AbortSignal.timeout(300_000) }
  return prepareCore(testCacheDir, 'http://127.0.0.1:9', context, silentLog)
}

async function filesOf(core: CachedCore): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const entry of await readdir(core.files, { recursive: true, withFileTypes: true })) {
    const path = relative(core.files, join(entry.parentPath, entry.name))
    if (entry.isFile() && !path.startsWith('wp-content/')) files.set(path, await readFile(join(core.files, path)))
  }
  return files
}
