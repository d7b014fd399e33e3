/** The fake engine with the interface of a local engine: lists its sites, emits their events, and records calls. */
import type { SiteResponse } from '#server/engines/engine.ts'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { FakeEngineOptions } from '#server/engines/fake/fake-context.ts'
import type { HostedSite } from '#server/features/sites/hosting-engine.ts'
import { createFakeEngine, type FakeEngine } from '#server/engines/fake/fake-engine.ts'

/** An event of a site's process. */
export interface ProcessEvent {
  id: string
  event: 'wake' | 'sleep' | 'crash'
  reason: LocalizedMessage | null
}

/** The engine with the properties tests inspect. */
export interface SiteEngine extends FakeEngine {
  listSites(): HostedSite[]
  on(event: 'site', listener: (event: ProcessEvent) => void): () => void
  /** Quotas set on the engine, by site. */
  readonly quotas: ReadonlyMap<string, SiteQuota>
  setQuota(id: string, quota: SiteQuota): Promise<void>
  /** Organizations of the sites, as set last. */
  readonly tenants: ReadonlyMap<string, string>
  setTenants(tenants: ReadonlyMap<string, string>): void
  onStorage(listener: (id: string, storage: SiteStorage) => void): () => void
  /** Emits the disk usage of a site; `observe` also returns it from then on. */
  reportStorage(id: string, storage: SiteStorage): void
  /** Emits an event like a real process would. */
  emit(event: ProcessEvent): void
  /** Calls besides the steps, in order: `request blog`, `destroy blog`, `php 8.5 blog`. */
  readonly calls: string[]
  /** Responses to the next requests, instead of the page. */
  readonly answers: (Pick<SiteResponse, 'status' | 'body'> & { tookMs?: number })[]
}

/** Opens the engine on a folder that may already contain sites. */
export function createSiteEngine(folder: string, options: Omit<FakeEngineOptions, 'folder'> = {}): SiteEngine {
  const fake = createFakeEngine({ folder, ...options })
  const calls: string[] = []
  const answers: SiteEngine['answers'] = []
  const quotas = new Map<string, SiteQuota>()
  const tenants = new Map<string, string>()
  const measured = new Map<string, SiteStorage>()
  const storageListeners = new Set<(id: string, storage: SiteStorage) => void>()
  const listeners = new Set<(event: ProcessEvent) => void>()
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
    listSites: () => fake.traces().map((id) => ({ id, domain: `site-${id}`, state: 'running', pid: null })),
    on(_event, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    quotas,
    tenants,
    setTenants(all) {
      tenants.clear()
      for (const [id, tenant] of all) tenants.set(id, tenant)
    },
    async setQuota(id, quota) {
      quotas.set(id, quota)
    },
    onStorage(listener) {
      storageListeners.add(listener)
      return () => storageListeners.delete(listener)
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
