import { controller, type Controller } from '#server/contracts/controller.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'

/** Actions on services of a server that a site uses. The store checks state and permissions first. */
export function serviceActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      read_services: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'proxy_cache',
          async run(engine, ref) {
            const { proxyCache, mailCatcher } = await engine.services.read(ref)
            return { proxy_cache: proxyCache, mail_catcher: mailCatcher }
          },
        }),

      set_proxy_cache: (site, { enabled }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'proxy_cache',
          changes: true,
          unseen: true,
          entry: { after: { proxy_cache: enabled } },
          async run(engine, ref) {
            await engine.services.setProxyCache(ref, enabled === 1)
            return null
          },
        }),

      purge_proxy_cache: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'proxy_cache',
          changes: true,
          entry: {},
          async run(engine, ref) {
            await engine.services.purgeProxyCache(ref)
            return null
          },
        }),

      set_mail_catcher: (site, { enabled }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'mail_catcher',
          changes: true,
          unseen: true,
          entry: { after: { mail_catcher: enabled } },
          async run(engine, ref) {
            await engine.services.setMailCatcher(ref, enabled === 1)
            return null
          },
        }),
    },
  })
}
