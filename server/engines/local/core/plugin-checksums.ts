import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { isPackageSlug } from '#shared/rules/wordpress-changes.ts'
import type { Sums } from '../../wordpress-catalogue.ts'
import { writeJson } from '../sites/site-store.ts'
import type { WordPressOrg } from './wordpress-org.ts'

const answerTimeoutMs = 6_000
/** The largest plugins have some 10,000 files. */
const maxBytes = 8 * 1_048_576
const maxFiles = 20_000

const published = z.object({
  files: z.record(z.string(), z.object({ md5: z.union([z.string(), z.array(z.string())]) })),
})
const stored = z.array(z.tuple([z.string(), z.string()]))

/**
 * The checksums that wordpress.org publishes for a version of a plugin; `none` if it publishes none, `unreachable` if it does not
 * answer. Published ones don't change, so they are kept in the cache.
 */
export async function fetchPluginSums(
  org: WordPressOrg,
  cacheDir: string,
  { slug, version }: { readonly slug: string; readonly version: string },
  signal: AbortSignal,
): Promise<Sums | 'none' | 'unreachable'> {
  if (!isPackageSlug(slug) || !/^[\w.-]{1,40}$/.test(version) || /^\.+$/.test(version)) return 'none'
  const folder = join(cacheDir, 'wordpress', 'plugin-checksums')
  const file = join(folder, `${slug} ${version}.json`)
  const known = await readStored(file)
  if (known !== null) return known
  const found = await ask(org, slug, version, signal)
  if (typeof found !== 'string') {
    await mkdir(folder, { recursive: true })
    await writeJson(file, found)
  }
  return found
}

async function ask(
  org: WordPressOrg,
  slug: string,
  version: string,
  signal: AbortSignal,
): Promise<Sums | 'none' | 'unreachable'> {
  try {
    const response = await safeFetch(`${org.downloads}/plugin-checksums/${slug}/${version}.json`, {
      profile: org.profile,
      timeoutMs: answerTimeoutMs,
      maxBytes,
      signal,
    })
    if (response.status === 404) return 'none'
    if (response.status !== 200) return 'unreachable'
    const { data } = published.safeParse(JSON.parse(response.body.toString('utf8')))
    const files = Object.entries(data?.files ?? {})
    if (files.length === 0 || files.length > maxFiles) return 'none'
    // Several checksums of a file: authors changed it without a new version, as they may do with the readme.
    return files.map(([path, { md5 }]) => [path, typeof md5 === 'string' && !isReadme(path) ? md5 : ''] as const)
  } catch {
    signal.throwIfAborted()
    return 'unreachable'
  }
}

const isReadme = (path: string) => /^readme\.(?:txt|md)$/i.test(path)

async function readStored(file: string): Promise<Sums | null> {
  try {
    return stored.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}
