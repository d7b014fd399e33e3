import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'
import { isSupported } from '#shared/rules/supported-wordpress.ts'
import { compareVersions } from '#shared/rules/wordpress-versions.ts'
import type { CoreRelease } from '../../wordpress-catalogue.ts'
import type { CachedCore } from './cached-core.ts'
import type { WordPressOrg } from './wordpress-org.ts'

const states = ['latest', 'outdated', 'insecure'] as const satisfies CoreRelease['state'][]
const answerTimeoutMs = 4_000
const most = 150

/**
 * All releases that sites can run, newest first, with what wordpress.org says about them; null if it does not respond within a few
 * seconds.
 */
export async function listReleases(org: WordPressOrg, signal: AbortSignal): Promise<CoreRelease[] | null> {
  try {
    const response = await safeFetch(`${org.api}/core/stable-check/1.0/`, {
      profile: org.profile,
      timeoutMs: answerTimeoutMs,
      signal,
    })
    const body: unknown = response.status === 200 ? JSON.parse(response.body.toString('utf8')) : null
    if (!isObject(body)) return null
    return Object.entries(body)
      .flatMap(([version, state]) => (isSupported(version) && isOneOf(states, state) ? [{ version, state }] : []))
      .sort((a, b) => compareVersions(b.version, a.version))
      .slice(0, most)
  } catch {
    signal.throwIfAborted()
    return null
  }
}

/** The PHP version that a stored WordPress needs at least, e.g. `7.0.0`; null if it does not say. */
export async function requiredPhp(core: CachedCore): Promise<string | null> {
  const text = await readFile(join(core.files, 'wp-includes', 'version.php'), 'utf8')
  return /\$required_php_version = '(\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)';/.exec(text)?.[1] ?? null
}
