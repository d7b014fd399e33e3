import { EngineError, type CapabilityName, type Engine, type SiteRef } from '#server/engines/engine.ts'
import { cleanSentence } from '#server/jobs/failure.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { say, term } from '#shared/sentence.ts'

/** The engine that runs a site or server. Throws AppError `unsupported` when this process has none of that name. */
export function engineFor(engines: Readonly<Record<string, Engine>>, doc: { engine: string | null }): Engine {
  const engine = doc.engine !== null && Object.hasOwn(engines, doc.engine) ? engines[doc.engine] : undefined
  if (!engine)
    throw new AppError('unsupported', say`Sites cannot run on this server.`, {
      nextAction: say`Choose another server.`,
    })
  return engine
}

/** Throws AppError `unsupported` with the engine's own reason when it lacks a capability. */
export function requireCapability(engine: Engine, name: CapabilityName): void {
  const capability = engine.capabilities[name]
  if (!capability.supported) throw new AppError('unsupported', term(capability.reason))
}

/**
 * What an engine answers to a caller who waits. What it refuses is an AppError then, in the engine's words; a site that the
 * machine does not have is a `conflict`: its document is there.
 */
export async function answerOf<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { code, sentence, nextAction, retryable } = error
    throw new AppError(code === 'not_found' ? 'conflict' : code, cleanSentence(sentence), {
      nextAction,
      retryable,
      cause: error,
    })
  }
}

/** Plain HTML runs no PHP; engines want a version they know all the same. */
export const anyPhpVersion = '8.4'

/** How an engine knows a site. Jobs keep a copy in their arguments, so that it outlives the document. */
export function siteRef(site: Pick<Site, 'name' | 'domain' | 'site_type' | 'php_version'>): SiteRef {
  return {
    id: site.name,
    domain: site.domain,
    siteType: site.site_type ?? 'wp',
    phpVersion: site.php_version ?? anyPhpVersion,
  }
}
