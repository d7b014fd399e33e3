import { download } from '#server/platform/network/download.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { msg } from '#shared/localized-message.ts'
import { isObject } from '#shared/parse-json.ts'
import { EngineError } from '../../engine.ts'
import type { PackageType } from '../../wordpress-packages.ts'
import type { WordPressOrg } from './wordpress-org.ts'

const answerTimeoutMs = 10_000

/**
 * Downloads the newest version of a plugin or theme of wordpress.org. Its version is asked for first
 * (https://codex.wordpress.org/WordPress.org_API), because downloads are named by it. Throws EngineError `not_found` or `unavailable`.
 */
export async function downloadPackage(
  org: WordPressOrg,
  type: PackageType,
  slug: string,
  { file, maxBytes, signal }: { readonly file: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<void> {
  const version = await newestVersion(org, type, slug, signal)
  await download(`${org.downloads}/${type}/${slug}.${version}.zip`, {
    toFile: file,
    maxBytes,
    timeoutMs: 120_000,
    operatorOrigins: org.operatorOrigins,
    signal,
  })
}

async function newestVersion(org: WordPressOrg, type: PackageType, slug: string, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({ action: `${type}_information`, 'request[slug]': slug })
  const response = await safeFetch(`${org.api}/${type}s/info/1.2/?${query}`, {
    profile: org.profile,
    timeoutMs: answerTimeoutMs,
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new EngineError('unavailable', msg`wordpress.org can’t be reached.`, {
      nextAction: msg`Upload the ZIP file instead, or try again later.`,
      cause,
    })
  })
  if (response.status === 404) throw notFound(slug)
  const body: unknown = response.status === 200 ? JSON.parse(response.body.toString('utf8')) : null
  const version: unknown = isObject(body) ? body['version'] : null
  if (typeof version !== 'string' || !/^[\w.-]{1,40}$/.test(version)) throw notFound(slug)
  return version
}

const notFound = (slug: string) =>
  new EngineError('not_found', msg`wordpress.org has nothing named ${slug}.`, {
    nextAction: msg`Check the name: it is the last part of its address there.`,
  })
