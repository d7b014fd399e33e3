import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { EngineServices, SiteServices } from '../site-services.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import { existingSite, writeSite } from './fake-store.ts'

const off: EngineServices = { proxyCache: false, mailCatcher: false }

/** Services in the site's file. */
export function createFakeServices(context: FakeContext): SiteServices {
  const read = (site: SiteRef): EngineServices => existingSite(context, site).services ?? off
  const set = (site: SiteRef, changes: Partial<EngineServices>) =>
    writeSite(context, { ...existingSite(context, site), services: { ...read(site), ...changes } })
  return {
    read: async (site) => read(site),
    setProxyCache: async (site, proxyCache) => set(site, { proxyCache }),
    purgeProxyCache: async (site) => {
      if (read(site).proxyCache) return
      throw new EngineError('conflict', msg`The site has no proxy cache.`, { nextAction: msg`Turn it on first.` })
    },
    setMailCatcher: async (site, mailCatcher) => {
      if (existingSite(context, site).siteType === 'html')
        throw new EngineError('unsupported', msg`A plain HTML site sends no email.`, {
          nextAction: msg`Choose another site.`,
        })
      set(site, { mailCatcher })
    },
  }
}
