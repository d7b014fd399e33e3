import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { EngineServices, SiteServices } from '../site-services.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { isOn, type EeRow } from './inventory.ts'
import { change, mutate, outputOf } from './remote.ts'
import { enabledSite, existingSite } from './site-of.ts'

/** The cache of EasyEngine's proxy, and MailHog. */
export function createEeServices(context: EeContext): SiteServices {
  const read = async (site: SiteRef): Promise<EngineServices> => servicesOf((await existingSite(context, site)).row)
  return {
    read,
    async setProxyCache(site, isWanted) {
      const word = isWanted ? 'on' : 'off'
      await mutate(context, site.server, {
        id: `ee-${site.id}-proxy-cache`,
        script: 'change',
        args: ['site', 'update', site.domain, `--proxy-cache=${word}`],
        assertPossible: () => enabledSite(context, site),
        isDone: async () => (await read(site)).proxyCache === isWanted,
      })
    },
    async purgeProxyCache(site, signal) {
      if (!(await read(site)).proxyCache)
        throw new EngineError('conflict', msg`The site has no proxy cache.`, { nextAction: msg`Turn it on first.` })
      // Not by `ee site clean`, which restarts the web server of all sites.
      outputOf(await change(context, site.server, { script: 'purge-proxy', args: [site.domain], signal }))
    },
    async setMailCatcher(site, isWanted) {
      const { row } = await existingSite(context, site)
      if (row.site_type === 'html')
        throw new EngineError('unsupported', msg`A plain HTML site sends no email.`, {
          nextAction: msg`Choose another site.`,
        })
      await mutate(context, site.server, {
        id: `ee-${site.id}-mailhog`,
        script: 'change',
        args: ['mailhog', isWanted ? 'enable' : 'disable', site.domain],
        assertPossible: () => enabledSite(context, site),
        isDone: async () => (await read(site)).mailCatcher === isWanted,
      })
    },
  }
}

const servicesOf = (row: EeRow): EngineServices => ({
  proxyCache: row.proxy_cache === 'on',
  mailCatcher: isOn(row.mailhog_enabled),
})
