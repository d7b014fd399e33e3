/** The fake engine with the interface of a local engine: lists its sites, emits their events, and records calls. */
import type { SiteResponse } from '#server/engines/engine.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { FakeEngineOptions } from '#server/engines/fake/fake-context.ts'
import type { HostedSite, SiteEvent, SiteEvents, SiteHost, SiteQuotas } from '#server/engines/site-host.ts'
import { createFakeEngine, type FakeEngine } from '#server/engines/fake/fake-engine.ts'

/** The engine with the properties tests inspect. */
export interface SiteEngine extends FakeEngine {
  readonly host: SiteHost
  readonly events: SiteEvents
  readonly quotas: SiteQuotas
  /** Quotas set on the engine, by site. */
  readonly limits: ReadonlyMap<string, SiteQuota>
  /** Organizations of the sites, as set last. */
  readonly tenants: ReadonlyMap<string, string>
  /** Emits the disk usage of a site; `observe` also returns it from then on. */
  reportStorage(id: string, storage: SiteStorage): void
  /** Emits an event like a real process would. */
  emit(event: SiteEvent): void
  /** Calls besides the steps, in order: `request blog`, `destroy blog`, `php 8.5 blog`. */
  readonly calls: string[]
  /** Responses to the next requests, instead of the page. */
  readonly answers: (Pick<SiteResponse, 'status' | 'body'> & { tookMs?: number })[]
}

/** The engine as if it held these sites in a state. */
export const holding = (
  engine: SiteEngine,
  sites: readonly Pick<Site, 'name' | 'domain'>[],
  state: () => HostedSite['state'] = () => 'running',
): SiteEngine => ({
  ...engine,
  host: { sites: async () => sites.map(({ name, domain }) => ({ id: name, domain, state: state(), pid: null })) },
})

/** Opens the engine on a folder that may already contain sites. */
export function createSiteEngine(folder: string, options: Omit<FakeEngineOptions, 'folder'> = {}): SiteEngine {
  const fake = createFakeEngine({ folder, ...options })
  const calls: string[] = []
  const answers: SiteEngine['answers'] = []
  const quotas = new Map<string, SiteQuota>()
  const tenants = new Map<string, string>()
  const measured = new Map<string, SiteStorage>()
  const storageListeners = new Set<(id: string, storage: SiteStorage) => void>()
  const listeners = new Set<(event: SiteEvent) => void>()
  const subscribe = <L>(all: Set<L>, listener: L) => {
    all.add(listener)
    return () => void all.delete(listener)
  }
  return {
    ...fake,
    calls,
    answers,
    async request(site, path, options) {
      calls.push(`request ${site.domain}`)
      const scripted = answers.shift()
      return scripted ? { headers: {}, ttfbMs: 8, tookMs: 12, ...scripted } : fake.request(site, path, options)
    },
    async destroy(site) {
      calls.push(`destroy ${site.domain}`)
      await fake.destroy(site)
    },
    async setPhpVersion(site, version) {
      calls.push(`php ${version} ${site.domain}`)
      await fake.setPhpVersion(site, version)
    },
    host: {
      sites: async () => fake.traces().map((id) => ({ id, domain: `site-${id}`, state: 'running', pid: null })),
    },
    events: { onProcess: (listener) => subscribe(listeners, listener), onVisit: () => () => undefined },
    limits: quotas,
    tenants,
    quotas: {
      set: async (id, quota) => void quotas.set(id, quota),
      setTenants(all) {
        tenants.clear()
        for (const [id, tenant] of all) tenants.set(id, tenant)
      },
      onStorage: (listener) => subscribe(storageListeners, listener),
    },
    reportStorage(id, storage) {
      measured.set(id, storage)
      storageListeners.forEach((listener) => listener(id, storage))
    },
    async observe(site, options) {
      const seen = await fake.observe(site, options)
      const storage = measured.get(site.id)
      return storage === undefined ? seen : { ...seen, diskUsed: storage.bytes, storage }
    },
    emit: (event) => listeners.forEach((listener) => listener(event)),
  }
}
