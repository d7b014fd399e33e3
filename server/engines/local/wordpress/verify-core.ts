import { readFile } from 'node:fs/promises'
import { msg } from '#shared/localized-message.ts'
import { isObject } from '#shared/parse-json.ts'
import { checksumReport, type ChecksumReport } from '#shared/responses/wordpress-checksum.ts'
import { isStableVersion } from '#shared/rules/wordpress-versions.ts'
import { EngineError } from '../../engine.ts'
import { cachedCores } from '../core/core-cache.ts'
import { fetchChecksums, wordpressOrg } from '../core/wordpress-org.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript, type ScriptContext } from './run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'

/** Where pristine checksums come from. */
export interface ChecksumContext extends ScriptContext {
  readonly options: { readonly cacheDir: string; readonly wordpressOrgUrl: string | null }
}

interface Pristine {
  readonly source: ChecksumReport['source']
  /** Path below the WordPress folder → MD5. */
  readonly checksums: Readonly<Record<string, string>>
}

/**
 * Compares a site's WordPress with the pristine package. Bundled plugins and themes are not part of it: sites update and delete
 * them on their own.
 */
export async function verifyCore(
  context: ChecksumContext,
  record: SiteRecord,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<ChecksumReport> {
  const { version } = await runScript(context, record, { script: 'checksum', input: {}, signal })
  if (typeof version !== 'string' || !isStableVersion(version)) {
    throw new EngineError('unavailable', msg`The version of WordPress can’t be read from its files.`, {
      nextAction: msg`Reinstall WordPress on the site.`,
    })
  }
  const { source, checksums } = await pristine(context, version, signal)
  const result = await runScript(context, record, { script: 'checksum', input: { checksums }, signal })
  const { data } = checksumReport.safeParse({ ...result, version, source })
  if (!data) throw unreadable()
  return data
}

async function pristine(
  { options: { cacheDir, wordpressOrgUrl } }: ChecksumContext,
  version: string,
  signal: AbortSignal,
): Promise<Pristine> {
  const core = (await cachedCores(cacheDir)).find((cached) => cached.version === version)
  const known = core
    ? Object.entries(checksumsOf(await readFile(core.checksums, 'utf8')))
    : [...(await fetchChecksums(wordpressOrg(wordpressOrgUrl), version, signal))]
  return {
    source: core?.source === 'npm' ? 'package' : 'wordpress.org',
    checksums: Object.fromEntries(known.filter(([path]) => !path.startsWith('wp-content/'))),
  }
}

function checksumsOf(text: string): Record<string, string> {
  const content: unknown = JSON.parse(text)
  if (!isObject(content)) throw new Error('The checksums of the cached WordPress are no object.')
  return Object.fromEntries(
    Object.entries(content).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}
