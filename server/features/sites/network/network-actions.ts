import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { isNetworkPath } from '#shared/rules/multisite.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { siteCall } from '../site-call.ts'
import { inspectAndStore } from '../wordpress/inspect.ts'
import { loginName, themeId } from '../wordpress/valid-names.ts'

/** Actions on networks of sites. The store checks state and permissions first. */
export function networkActions(deps: SitesDeps): Controller {
  const change = (tx: Tx, site: Site, given: WordPressChange, detail: string) =>
    siteCall(deps, tx, site, {
      needs: 'multisite',
      changes: true,
      entry: { detail: untranslated(detail) },
      async run(engine, ref) {
        const { ran } = await engine.wordpress.change(ref, given)
        await inspectAndStore(deps, engine, ref)
        return { ran }
      },
    })

  return controller(SiteDoctype, {
    actions: {
      async convert_to_network(site, _args, { tx }) {
        await assertConvertible(tx, site)
        return enqueueFor(deps, tx, site, 'site.convert_to_network')
      },

      async add_network_site(site, { path, title }, { tx }) {
        if (!isNetworkPath(path))
          throw new AppError('invalid', msg`A path has lowercase letters, digits and inner hyphens only.`, {
            field: 'path',
          })
        return change(tx, site, { kind: 'add_network_site', path, title }, `/${path}/`)
      },

      set_theme_network: async (site, { theme, enabled }, { tx }) =>
        change(tx, site, { kind: 'set_theme_network', theme: themeId(theme), enabled: enabled === 1 }, theme),

      set_super_admin: async (site, { login, enabled }, { tx }) =>
        change(tx, site, { kind: 'set_super_admin', login: loginName(login), enabled: enabled === 1 }, login),

      delete_network_site: async (site, { site: id }, { tx }) =>
        change(tx, site, { kind: 'delete_network_site', id }, String(id)),
    },
  })
}

async function assertConvertible(tx: Tx, site: Site): Promise<void> {
  if (site.multisite !== null) throw new AppError('invalid', msg`The site is a network already.`)
  // What changed on a network can't be compared and pushed.
  if (site.staging_of !== null || (await tx.count(SiteDoctype, [['staging_of', '=', site.name]])) > 0)
    throw new AppError('conflict', msg`A network can’t have a staging site, or be one.`, {
      nextAction: msg`Delete the staging site first.`,
    })
  const served = (site.aliases ?? []).find(({ mode }) => mode === 'serve')
  if (served) throw underOneName(served.domain)
}

/** Throws AppError `conflict` if a network should show its pages under another name than its own. */
export function assertOneName(site: Site, domain: string, mode: string): void {
  if (site.multisite !== null && mode === 'serve') throw underOneName(domain)
}

const underOneName = (domain: string): AppError =>
  new AppError('conflict', msg`A network answers under its primary domain only.`, {
    field: 'mode',
    nextAction: msg`Let ${domain} redirect to it.`,
  })
