import type { CapabilityName, Engine, SiteRef } from '#server/engines/engine.ts'
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
