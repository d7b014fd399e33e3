/** What a site shows of itself: its pages as visitors see them, and what its WordPress counts. */
import { EngineError, type StepContext } from '../../engine.ts'
import { contentCounts, noAnswer, noCounts, seePages, type SeenPage } from '../../seen-pages.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import { thisMachine } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { requestSite } from '../site-operations.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

const sitesCode = (error: unknown): boolean => error instanceof EngineError && error.code === 'unavailable'

/** What the script `links` finds, without the site's own code if that fails. */
export function findLinks(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const call = (safe: boolean) => runScript(context, record, { script: 'links', input: { safe }, signal })
  return call(false).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!sitesCode(error)) throw error
    return call(true)
  })
}

/** Requests pages of a site of this machine; see `seePages`. */
export function seeLocalPages(
  context: LocalContext,
  record: SiteRecord,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<SeenPage[]> {
  return seePages(paths, async (path) => {
    try {
      return await requestSite(context, { ...record, server: thisMachine }, path, { signal })
    } catch (error) {
      signal.throwIfAborted()
      if (sitesCode(error)) return noAnswer
      throw error
    }
  })
}

/** What a part of a site shows; something else if the site's code fails, which must not keep anybody from packing the site. */
export async function ifItWorks<T>(
  { log, signal }: Pick<StepContext, 'log' | 'signal'>,
  work: (signal: AbortSignal) => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await work(signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!sitesCode(error)) throw error
    log(`The site could not be looked at: ${String(error)}`)
    return otherwise
  }
}

/** What WordPress says it has, whatever its plugins say; see `contentCounts`. */
export async function countContent(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
  onAnyMachine = false,
): Promise<SiteManifest['counts']> {
  if (record.siteType !== 'wp') return noCounts
  const facts = await runScript(context, record, { script: 'inspect', input: { safe: true }, signal })
  return contentCounts(facts, onAnyMachine)
}
