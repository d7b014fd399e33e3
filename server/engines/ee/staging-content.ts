import { randomBytes } from 'node:crypto'
import type { StepContext } from '../engine.ts'
import type { ManifestFile } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { packedArchive } from './backups.ts'
import type { EeContext } from './ee-context.ts'
import { fetchPart, fetchPieces } from './fetch-packed.ts'
import { dumpedDatabase, keptContent, listedFiles, packedFiles, readKept, type KnownContent } from './known-content.ts'
import { packPart, removeRemote, withoutOfWordPress, type Packing } from './pack-parts.ts'
import { change, look, outputOf } from './remote.ts'
import { sendPart } from './send-part.ts'
import { workdir } from './swaps.ts'
import { dumpIn, manifestIn } from './unpack-archive.ts'
import { tablePrefixOf } from './wp.ts'

type Step = Pick<StepContext, 'signal' | 'log'>

/**
 * What a site has now, its database first. Whoever asks need not hold the site: what its server packs of it for that has a name of its own, so it is
 * in nobody's way.
 */
export async function contentNow(context: EeContext, site: SiteRef, step: Step): Promise<KnownContent> {
  const id = `${site.id}-compare-${randomBytes(4).toString('hex')}`
  const packing: Packing & { workdir: string } = { context, site, packed: { ...site, id }, workdir }
  const isWordPress = site.siteType === 'wp'
  try {
    const fetched = async (part: 'list' | 'database') => {
      const more = part === 'database' ? ['wp'] : isWordPress ? withoutOfWordPress : []
      const packed = await packPart(packing, part, more, step)
      return fetchPart(context, packing.packed, packed, step)
    }
    let database: KnownContent['database'] = null
    if (isWordPress) {
      const prefix = await tablePrefixOf(context, site, workdir, step.signal)
      database = await dumpedDatabase(await fetched('database'), prefix)
    }
    return { database, files: await listedFiles(await fetched('list')) }
  } finally {
    await removeRemote(context, packing.packed, ['list', 'database'])
  }
}

/**
 * Files that a server keeps of a staging site: what its source had when it was copied, and what it had itself when it was ready; what both had in
 * common before a push that is going on, and what is pushed. And with the state before a push: what the site was like after it, and what it has in
 * common with a staging site, by the id of that, since.
 */
type KeptName = 'base' | 'start' | 'sent-base' | 'sent-start' | 'pushed' | `pushed-${'base' | 'start'}-${string}`

/** Keeps content with a site. What was kept before stays until all of it is there. */
export async function keepContent(
  context: EeContext,
  site: SiteRef,
  name: KeptName,
  content: KnownContent,
  signal: AbortSignal,
): Promise<void> {
  const { domain, server } = site
  const call = { script: 'staging', args: [domain, 'part', name] } as const
  const sum = await sendPart(context, site, call, keptContent(content), signal)
  outputOf(await change(context, server, { script: 'staging', args: [domain, 'keep', name, sum], signal }))
}

/** Content that is kept; null if it is not there. */
export async function keptContentOf(
  context: EeContext,
  { domain, server }: SiteRef,
  name: KeptName,
  signal: AbortSignal,
): Promise<KnownContent | null> {
  const noted = await look(context, server, {
    script: 'staging',
    args: [domain, 'note', name],
    signal,
    maxBytes: 4_096,
  })
  if (noted.code === 6) return null
  const [, bytes, sha256 = ''] = /^\s*(\d{1,12}) ([0-9a-f]{64})$/m.exec(outputOf(noted)) ?? []
  if (bytes === undefined) return null
  const file = { script: 'staging', args: [domain, 'get', name], bytes: Number(bytes), sha256 } as const
  return readKept(fetchPieces(context, server, file, { signal }))
}

/** What a server keeps about staging of a site. */
interface AboutStaging {
  /** Id and domain of the site that it is the staging site of. */
  readonly of: { readonly id: string; readonly domain: string } | null
  /** When the state before the last push was kept, in milliseconds since 1970, if it is. */
  readonly keptAt: number | null
}

/** See `AboutStaging`. */
export async function readAbout(
  context: EeContext,
  { domain, server }: SiteRef,
  signal?: AbortSignal,
): Promise<AboutStaging> {
  const call = { script: 'staging', args: [domain, 'about'], signal, maxBytes: 4_096 } as const
  const output = outputOf(await look(context, server, call))
  const [, id, name] = /^of ([a-z0-9]{10}) ([a-z0-9.-]{1,253})$/m.exec(output) ?? []
  const [, seconds] = /^before (\d{1,12}) (?:all|files|database) push$/m.exec(output) ?? []
  return {
    of: id === undefined || name === undefined ? null : { id, domain: name },
    keptAt: seconds === undefined ? null : Number(seconds) * 1_000,
  }
}

/** Notes whose staging site it is. */
async function noteSource(
  context: EeContext,
  { domain, server }: SiteRef,
  source: SiteRef,
  signal: AbortSignal,
): Promise<void> {
  outputOf(await change(context, server, { script: 'staging', args: [domain, 'of', source.id, source.domain], signal }))
}

/** Makes a copy that is ready a staging site: keeps what both sites are like on its server. Whoever repeats it may have no archive any more. */
export async function becomeStaging(
  context: EeContext,
  source: SiteRef,
  staging: SiteRef,
  step: StepContext,
): Promise<void> {
  const { of } = await readAbout(context, staging, step.signal)
  if (of?.id === source.id && of.domain === source.domain) return
  const archive = packedArchive(context, staging)
  const files: ManifestFile[] = []
  const { manifest } = await manifestIn(archive, (file) => files.push(file) > 0)
  const isWordPress = manifest.type === 'wp'
  const base = {
    files: packedFiles(files, isWordPress ? 'wp-config.php' : null),
    database: isWordPress ? await dumpedDatabase(dumpIn(archive), manifest.table_prefix ?? 'wp_') : null,
  }
  await keepContent(context, staging, 'base', base, step.signal)
  await keepContent(context, staging, 'start', await contentNow(context, staging, step), step.signal)
  await noteSource(context, staging, source, step.signal)
  step.log('Kept what both sites are like now')
}
