import { AppError } from '#shared/errors.ts'
import { isObject } from '#shared/parse-json.ts'
import type { MultisiteKind } from '#shared/rules/multisite.ts'
import { EngineError } from '../engine.ts'
import { contentCounts, noAnswer, type PageAnswer } from '../seen-pages.ts'
import type { SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { requestAsOurselves } from './request.ts'
import { runPhp, type ManagedSite } from './scripts.ts'

interface SiteFacts {
  readonly counts: SiteManifest['counts']
  readonly version: string | null
  /** Null: a single site. */
  readonly network: MultisiteKind | null
}

/** What WordPress says about itself, whatever its plugins say. */
export async function factsOf(managed: ManagedSite, signal: AbortSignal): Promise<SiteFacts> {
  const facts = await runPhp(managed, 'inspect', { safe: true }, signal)
  const { version, multisite, sites } = facts
  const kind = isObject(sites) && sites['subdomains'] === true ? 'subdom' : 'subdir'
  return {
    counts: contentCounts(facts, true),
    version: typeof version === 'string' ? version.slice(0, 40) : null,
    network: multisite === true ? kind : null,
  }
}

/** What the script `links` finds, without the site's own code if that fails; null if nothing works. */
export async function linksOf(
  managed: ManagedSite,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  for (const safe of [false, true])
    try {
      return await runPhp(managed, 'links', { safe }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof EngineError)) throw error
    }
  return null
}

/** The answer of a page, also if it has none. */
export async function answerOf(
  context: EeContext,
  site: SiteRef,
  path: string,
  signal: AbortSignal,
): Promise<PageAnswer> {
  try {
    return await requestAsOurselves(context, site, path, { signal })
  } catch (error) {
    signal.throwIfAborted()
    // A page that does not answer keeps nobody from backing the site up.
    if (error instanceof AppError || error instanceof EngineError) return noAnswer
    throw error
  }
}
