import { controller, type Controller } from '#server/contracts/controller.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { parseProtections } from '#shared/rules/site-protections.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { siteCall } from '../site-call.ts'
import { inWords } from './findings-in-words.ts'
import { lookAndStore } from './look.ts'

/** Actions about what is wrong with a site's WordPress. The store checks state and permissions first. */
export function healthActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async check_wordpress_health(site, _args, { tx }) {
        return siteCall(deps, tx, site, {
          needs: 'wordpress',
          run: (engine, ref) => lookAndStore(deps, engine, ref, site),
        })
      },

      async site_health(site, _args, { tx }) {
        return siteCall(deps, tx, site, {
          needs: 'wordpress',
          run: async (engine, ref) => inWords(await lookAndStore(deps, engine, ref, site)),
        })
      },

      async set_protection(site, { protection, enabled }, { tx }) {
        const protections = parseProtections(site.protections)
        if (protections.includes(protection) === (enabled === 1))
          throw new AppError('invalid', msg`The site has this setting already.`, { field: 'protection' })
        const others = protections.filter((one) => one !== protection)
        const change = { protections: enabled === 1 ? [...others, protection] : others }
        return enqueueFor(deps, tx, site, 'site.set_protection', { change })
      },
    },
  })
}
