import { controller, type Controller } from '#server/contracts/controller.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { transfer } from './site-sharing.ts'

/** Sites that were on a server before it was added: nobody made them here, so somebody says whose they are. */
export const foundSitesController: Controller = controller(ServerDoctype, {
  actions: {
    async set_sites_owner(server, { new_owner: owner, sites: chosen }, context) {
      const sites = await context.tx.list(SiteDoctype, [
        ['server', '=', server.name],
        ['is_found', '=', 1],
        ['createdby_email', 'is', 'not set'],
        ...(Array.isArray(chosen) ? [['name', 'in', chosen.map(String)] as const] : []),
      ])
      for (const site of sites) await transfer(site, owner.trim().toLowerCase(), context)
      return { sites: sites.length }
    },
  },
})
