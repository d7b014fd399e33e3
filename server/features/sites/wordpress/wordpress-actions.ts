import { controller, type ActionResult, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { siteCall } from '../site-call.ts'
import { changeWordPress } from './change-wordpress.ts'
import { enqueueChange } from './enqueue-change.ts'
import { enqueueUpdates } from './update-all.ts'
import { readChecksum, readFacts } from './facts-table.ts'
import type { SiteChange } from './site-change.ts'
import { inspectAndStore } from './inspect.ts'
import { pluginId, slugText, themeId } from './valid-names.ts'

/** Actions on a site's WordPress. The store checks state and permissions first. */
export function wordpressActions(deps: SitesDeps): Controller {
  const call = async (
    tx: Tx,
    site: Site,
    run: (engine: EngineWith<'wordpress'>, ref: SiteRef) => Promise<ActionResult>,
  ): Promise<ExternalCall> => siteCall(deps, tx, site, { needs: 'wordpress', run })

  const change = async (
    tx: Tx,
    site: Site,
    given: WordPressChange,
    title: string,
    needs: 'wordpress' | 'cron' = 'wordpress',
  ): Promise<ExternalCall> => changeWordPress(deps, tx, site, { given, title, needs })

  const job = (tx: Tx, site: Site, given: SiteChange) => enqueueChange(deps, tx, site, given)

  /** Changes no files, so it is no job. Recorded as what it is, not as any change of a plugin. */
  const autoUpdate = (
    tx: Tx,
    site: Site,
    title: string,
    given: Extract<WordPressChange, { kind: 'set_plugin_auto_update' | 'set_theme_auto_update' }>,
  ): Promise<ExternalCall> => changeWordPress(deps, tx, site, { given, title, action: `site.${given.kind}` })

  return controller(SiteDoctype, {
    actions: {
      wordpress_facts: async (site, _args, { tx }) => readFacts(tx, site.name),
      inspect_wordpress: (site, _args, { tx }) =>
        call(tx, site, async (engine, ref) => inspectAndStore(deps, engine, ref)),
      wordpress_users: (site, { search, page }, { tx }) =>
        call(tx, site, (engine, ref) => engine.wordpress.users(ref, { search: search ?? '', page: page ?? 0 })),
      async set_plugin(site, { plugin: given, do: operation, network }, { tx }) {
        const plugin = pluginId(given)
        switch (operation) {
          case 'activate':
            return job(tx, site, { kind: 'activate_plugin', plugin, ...(network === 1 ? { network: true } : {}) })
          case 'auto_update_on':
          case 'auto_update_off':
            return autoUpdate(tx, site, plugin, {
              kind: 'set_plugin_auto_update',
              plugin,
              enabled: operation === 'auto_update_on',
            })
          default:
            return job(tx, site, { kind: kindOf(operation, 'plugin'), plugin })
        }
      },
      install_plugin: (site, { slug }, { tx }) => job(tx, site, { kind: 'install_plugin', slug: slugText(slug) }),
      update_plugins: (site, _args, { tx }) => enqueueUpdates(deps, tx, site, 'plugin'),
      install_theme: (site, { slug }, { tx }) => job(tx, site, { kind: 'install_theme', slug: slugText(slug) }),
      async set_theme(site, { theme: given, do: operation }, { tx }) {
        const theme = themeId(given)
        return operation === 'auto_update_on' || operation === 'auto_update_off'
          ? autoUpdate(tx, site, theme, {
              kind: 'set_theme_auto_update',
              theme,
              enabled: operation === 'auto_update_on',
            })
          : job(tx, site, { kind: kindOf(operation, 'theme'), theme })
      },
      update_themes: (site, _args, { tx }) => enqueueUpdates(deps, tx, site, 'theme'),
      flush_cache: (site, _args, { tx }) => change(tx, site, { kind: 'flush_cache' }, ''),
      flush_cache_job: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.flush_cache'),
      checksum_report: async (site, _args, { tx }) => readChecksum(tx, site.name),
      verify_checksum: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.verify_checksum'),
    },
  })
}

const kinds = {
  activate: 'activate',
  deactivate: 'deactivate',
  update: 'update',
  delete: 'delete',
  rollback: 'roll_back',
} as const

/** The change that an operation of `set_plugin` or `set_theme` is. */
function kindOf<O extends keyof typeof kinds, T extends 'plugin' | 'theme'>(
  operation: O,
  type: T,
): `${(typeof kinds)[O]}_${T}` {
  return `${kinds[operation]}_${type}`
}
