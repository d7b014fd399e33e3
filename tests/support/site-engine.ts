/** The fake engine as an engine of this machine has to be: it lists its sites, tells of them, and keeps a record of calls. */
import type { SiteResponse } from '#server/engines/engine.ts'
import type { Sentence } from '#shared/sentence.ts'
import { createFakeEngine, type FakeEngine } from '#server/engines/fake/fake-engine.ts'

/** What a process of a site tells. */
export interface ProcessEvent {
  id: string
  event: 'wake' | 'sleep' | 'crash'
  reason: Sentence | null
}

/** The engine with what tests look at. */
export interface SiteEngine extends FakeEngine {
  listSites(): { id: string; domain: string }[]
  on(event: 'site', listener: (event: ProcessEvent) => void): () => void
  /** Tells the listeners what a real process would. */
  tell(event: ProcessEvent): void
  /** Calls beside the steps, in order: `request blog`, `destroy blog`, `php 8.5 blog`. */
  readonly calls: string[]
  /** Answers to the next requests, instead of the page. */
  readonly answers: Pick<SiteResponse, 'status' | 'body'>[]
}

/** Opens the engine over a folder, which may hold sites from before. */
export function createSiteEngine(folder: string): SiteEngine {
  const fake = createFakeEngine({ folder })
  const calls: string[] = []
  const answers: SiteEngine['answers'] = []
  const listeners = new Set<(event: ProcessEvent) => void>()
  return {
    ...fake,
    calls,
    answers,
    async request(site, path, options) {
      calls.push(`request ${site.domain}`)
      const scripted = answers.shift()
      return scripted ? { ...scripted, headers: {}, tookMs: 12 } : fake.request(site, path, options)
    },
    async destroy(site) {
      calls.push(`destroy ${site.domain}`)
      await fake.destroy(site)
    },
    async setPhpVersion(site, version) {
      calls.push(`php ${version} ${site.domain}`)
      await fake.setPhpVersion(site, version)
    },
    listSites: () => fake.traces().map((id) => ({ id, domain: `site-${id}` })),
    on(_event, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (event) => listeners.forEach((listener) => listener(event)),
  }
}
