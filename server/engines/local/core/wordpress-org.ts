import { isObject } from '#shared/parse-json.ts'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { download } from '#server/platform/network/download.ts'
import { safeFetch, type FetchOptions } from '#server/platform/network/fetch.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { compareVersions, isStableVersion } from '#shared/rules/wordpress-versions.ts'
import { readZip } from './zip.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** Timeout for the first response: without a network a new site must not wait for wordpress.org. */
const answerTimeoutMs = 4_000
const downloadTimeoutMs = 120_000
const maxZipBytes = 120 * 1024 * 1024

/** A release listed by wordpress.org. */
export interface Release {
  version: string
}

/** URLs of the hosts of wordpress.org, or of the base that replaces them. */
export interface WordPressOrg {
  api: string
  downloads: string
  /** Rules for our requests: wordpress.org must be on the public internet, a mirror may be anywhere. */
  profile: FetchOptions['profile']
  /** The mirror's origin, from which downloads are allowed in addition to wordpress.org's own hosts. */
  operatorOrigins: readonly string[]
}

/** @param base `WORDPRESS_ORG_URL`, or null for wordpress.org itself */
export function wordpressOrg(base: string | null): WordPressOrg {
  if (base === null)
    return {
      api: 'https://api.wordpress.org',
      downloads: 'https://downloads.wordpress.org',
      profile: 'tenant',
      operatorOrigins: [],
    }
  const plain = trimEnd(base, '/')
  return { api: plain, downloads: plain, profile: 'operator', operatorOrigins: [new URL(plain).origin] }
}

/** The newest stable release, or null if wordpress.org does not respond within a few seconds. */
export async function newestRelease(org: WordPressOrg, signal: AbortSignal): Promise<Release | null> {
  try {
    const response = await safeFetch(`${org.api}/core/version-check/1.7/`, {
      profile: org.profile,
      timeoutMs: answerTimeoutMs,
      signal,
    })
    if (response.status !== 200) return null
    const body: unknown = JSON.parse(response.body.toString('utf8'))
    const offers: unknown = isObject(body) ? body['offers'] : null
    const [version] = (Array.isArray(offers) ? offers : [])
      .map((offer: unknown) => (isObject(offer) ? offer['version'] : null))
      .filter((offered) => typeof offered === 'string')
      .filter(isStableVersion)
      .sort((a, b) => compareVersions(b, a))
    return version === undefined ? null : { version }
  } catch {
    // Offline, blocked or not JSON: all count as "not reachable", and the package registry is used instead.
    signal.throwIfAborted()
    return null
  }
}

/**
 * Downloads a release and checks every file against the published checksums.
 * @param folder the caller's folder for the archive, which is removed afterward
 * @returns path (relative to the WordPress folder) → bytes
 * @throws {EngineError} `unavailable` if a file is missing, unknown or different
 */
export async function downloadRelease(
  org: WordPressOrg,
  version: string,
  folder: string,
  context: { signal: AbortSignal; progress(fraction: number): void },
): Promise<Map<string, Buffer>> {
  const { signal } = context
  const checksums = await fetchChecksums(org, { version, locale: null }, signal)
  const archive = join(folder, `wordpress-${version}.zip`)
  await mkdir(folder, { recursive: true })
  await download(`${org.downloads}/release/wordpress-${version}.zip`, {
    toFile: archive,
    maxBytes: maxZipBytes,
    timeoutMs: downloadTimeoutMs,
    operatorOrigins: org.operatorOrigins,
    signal,
    progress: (bytes, total) => context.progress(total === null ? 0 : bytes / total),
  })
  const zip = await readFile(archive)
  await rm(archive)
  const files = new Map<string, Buffer>()
  for (const entry of await readZip(zip)) {
    if (entry.name.endsWith('/') || !entry.name.startsWith('wordpress/')) continue
    files.set(entry.name.slice('wordpress/'.length), await entry.read())
  }
  const wrong = verify(files, checksums)
  if (wrong !== null) {
    throw new EngineError(
      'unavailable',
      msg`WordPress ${version} from wordpress.org does not match its published checksums (${wrong}); it was discarded.`,
      {
        retryable: true,
        nextAction: msg`Try again; if it stays, check what sits between this machine and wordpress.org.`,
      },
    )
  }
  return files
}

/** Files that PHP or a web server might execute or interpret. */
const active = /\.(?:php\d?|phtml|phps|phar|inc|htaccess|user\.ini)$/i

/** The first path that is missing, unknown or different; null if all files match. */
export function verify(files: ReadonlyMap<string, Buffer>, checksums: ReadonlyMap<string, string>): string | null {
  for (const [path, md5] of checksums) {
    // The published list also covers bundled plugins and themes, which a release may leave out.
    const bytes = files.get(path)
    if (bytes === undefined) {
      if (!path.startsWith('wp-content/')) return path
    } else if (createHash('md5').update(bytes).digest('hex') !== md5) {
      return path
    }
  }
  for (const path of files.keys())
    if (!checksums.has(path) && (!path.startsWith('wp-content/') || active.test(path))) return path
  return null
}

/** A release in a language; null: in English. */
export interface CorePackage {
  readonly version: string
  readonly locale: string | null
}

/** The published MD5 sums of a release, by path. Throws EngineError `unavailable` if wordpress.org gives none. */
export async function fetchChecksums(
  org: WordPressOrg,
  { version, locale }: CorePackage,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const response = await safeFetch(`${org.api}/core/checksums/1.0/?version=${version}&locale=${locale ?? 'en_US'}`, {
    profile: org.profile,
    timeoutMs: downloadTimeoutMs,
    signal,
  })
  if (response.status !== 200) {
    throw new EngineError('unavailable', msg`wordpress.org answered ${response.status} for its checksums.`, {
      retryable: true,
      nextAction: msg`Try again later.`,
    })
  }
  const bytes = response.body
  const body: unknown = JSON.parse(bytes.toString('utf8'))
  const list = isObject(body) ? body['checksums'] : null
  if (!isObject(list) || Object.keys(list).length < 100) {
    throw new EngineError('unavailable', msg`wordpress.org published no checksums for WordPress ${version}.`, {
      retryable: true,
      nextAction: msg`Try again later.`,
    })
  }
  return new Map(Object.entries(list).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
