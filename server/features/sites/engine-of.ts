import type { Tx } from '#server/contracts/transaction.ts'
import { EngineError, type CapabilityName, type Engine } from '#server/engines/engine.ts'
import { capabilitiesOf, isEngineWith, notSupported, type EngineWith } from '#server/engines/facets.ts'
import { serverRef, type ServerRef, type SiteRef } from '#server/engines/site-ref.ts'
import { redactMessage } from '#server/jobs/failure.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'

/** The engine of a site or server; undefined if this process has none of that name. */
export function findEngine(
  engines: Readonly<Record<string, Engine>>,
  doc: { engine: string | null },
): Engine | undefined {
  return doc.engine !== null && Object.hasOwn(engines, doc.engine) ? engines[doc.engine] : undefined
}

/** The engine of a site or server. Throws AppError `unsupported` if this process has no engine of that name. */
export function engineFor(engines: Readonly<Record<string, Engine>>, doc: { engine: string | null }): Engine {
  const engine = findEngine(engines, doc)
  if (!engine)
    throw new AppError('unsupported', msg`Sites cannot run on this server.`, {
      nextAction: msg`Choose another server.`,
    })
  return engine
}

/** The engine with the facets of a capability, whatever its servers lack. Throws AppError `unsupported` without them. */
export function withFacetsOf<K extends CapabilityName>(engine: Engine, name: K): EngineWith<K> {
  if (isEngineWith(engine, name)) return engine
  throw new AppError('unsupported', labelMessage(notSupported))
}

/** The server of a site as it is now; without an address if it was deleted. */
export async function serverOf(tx: Tx, site: { readonly server: string }): Promise<ServerRef> {
  return serverRef((await tx.get(ServerDoctype, site.server)) ?? { name: site.server })
}

/** Engine and server of a site that has a capability. Throws AppError `unsupported` with the reason if it lacks it. */
export async function requireCapability<K extends CapabilityName>(
  { engines }: Pick<SitesDeps, 'engines'>,
  tx: Tx,
  site: Pick<Site, 'engine' | 'server'>,
  name: K,
): Promise<{ engine: EngineWith<K>; server: ServerRef }> {
  const [engine, server] = [engineFor(engines, site), await serverOf(tx, site)]
  const capability = capabilitiesOf(engine, server)[name]
  if (!capability.supported) throw new AppError('unsupported', labelMessage(capability.reason))
  return { engine: withFacetsOf(engine, name), server }
}

/**
 * Converts errors of an engine call into AppErrors, with the engine's message. A site missing on the machine is a
 * `conflict`, because its document exists.
 */
export async function translateEngineErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { code, localized, nextAction, retryable } = error
    throw new AppError(code === 'not_found' ? 'conflict' : code, redactMessage(localized), {
      nextAction,
      retryable,
      cause: error,
    })
  }
}

/** Static HTML runs no PHP, but engines still require a version they know. */
export const anyPhpVersion = '8.4'

/** A site on a server, as engines identify it. Jobs store a copy in their arguments, because it must outlive the document. */
export function siteRef(
  site: Pick<Site, 'name' | 'domain' | 'site_type'> & { readonly php_version: string | null } & Partial<
      Pick<Site, 'is_found' | 'url' | 'ssl'>
    >,
  server: ServerRef,
): SiteRef {
  return {
    id: site.name,
    domain: site.domain,
    siteType: site.site_type ?? 'wp',
    phpVersion: site.php_version ?? anyPhpVersion,
    ...(site.is_found === 1 ? { isFound: true } : {}),
    ...(site.ssl || site.url?.startsWith('https://') ? { isSecure: true } : {}),
    server,
  }
}
