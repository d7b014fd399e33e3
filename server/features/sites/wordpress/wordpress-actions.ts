import { controller, type ActionResult, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import { assertWordPress } from '../assert-wordpress.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { siteCall } from '../site-call.ts'
import { changeWordPress } from './change-wordpress.ts'
import { enqueueChange } from './enqueue-change.ts'
import { enqueueUpdates } from './update-all.ts'
import { readChecksum, readFacts } from './facts-table.ts'
import type { SiteChange } from './site-change.ts'
import { inspectAndStore } from './inspect.ts'
import { eventId, pluginId, slugText, themeId } from './valid-names.ts'

/** Actions on a site's WordPress. The store checks state and permissions first. */
export function wordpressActions(deps: SitesDeps): Controller {
  const call = async (
    tx: Tx,
    site: Site,
    run: (engine: EngineWith<'wordpress'>, ref: SiteRef) => Promise<ActionResult>,
  ): Promise<ExternalCall> => siteCall(deps, tx, assertWordPress(site), { needs: 'wordpress', run })

  const change = async (
    tx: Tx,
    site: Site,
    given: WordPressChange,
    title: string,
    needs: 'wordpress' | 'cron' = 'wordpress',
  ): Promise<ExternalCall> => changeWordPress(deps, tx, site, { given, title, needs })

  const job = (tx: Tx, site: Site, given: SiteChange) => enqueueChange(deps, tx, assertWordPress(site), given)

  return controller(SiteDoctype, {
    actions: {
      wordpress_facts: async (site, _args, { tx }) => readFacts(tx, assertWordPress(site).name),
      inspect_wordpress: (site, _args, { tx }) =>
        call(tx, site, async (engine, ref) => inspectAndStore(deps, engine, ref)),
      list_plugins: (site, _args, { tx }) =>
        call(tx, site, async (engine, ref) => ({ plugins: await engine.wordpress.plugins(ref) })),
      wordpress_users: (site, { search, page }, { tx }) =>
        call(tx, site, (engine, ref) => engine.wordpress.users(ref, { search: search ?? '', page: page ?? 0 })),
      activate_plugin: (site, { plugin, network }, { tx }) =>
        job(tx, site, {
          kind: 'activate_plugin',
          plugin: pluginId(plugin),
          ...(network === 1 ? { network: true } : {}),
        }),
      deactivate_plugin: (site, { plugin }, { tx }) =>
        job(tx, site, { kind: 'deactivate_plugin', plugin: pluginId(plugin) }),
      delete_plugin: (site, { plugin }, { tx }) => job(tx, site, { kind: 'delete_plugin', plugin: pluginId(plugin) }),
      install_plugin: (site, { slug }, { tx }) => job(tx, site, { kind: 'install_plugin', slug: slugText(slug) }),
      update_plugin: (site, { plugin }, { tx }) => job(tx, site, { kind: 'update_plugin', plugin: pluginId(plugin) }),
      update_plugins: (site, _args, { tx }) => enqueueUpdates(deps, tx, assertWordPress(site), 'plugin'),
      roll_back_plugin: (site, { plugin }, { tx }) =>
        job(tx, site, { kind: 'roll_back_plugin', plugin: pluginId(plugin) }),
      install_theme: (site, { slug }, { tx }) => job(tx, site, { kind: 'install_theme', slug: slugText(slug) }),
      update_theme: (site, { theme }, { tx }) => job(tx, site, { kind: 'update_theme', theme: themeId(theme) }),
      update_themes: (site, _args, { tx }) => enqueueUpdates(deps, tx, assertWordPress(site), 'theme'),
      roll_back_theme: (site, { theme }, { tx }) => job(tx, site, { kind: 'roll_back_theme', theme: themeId(theme) }),
      set_plugin_auto_update: (site, { plugin, enabled }, { tx }) =>
        change(tx, site, { kind: 'set_plugin_auto_update', plugin: pluginId(plugin), enabled: enabled === 1 }, plugin),
      activate_theme: (site, { theme }, { tx }) => job(tx, site, { kind: 'activate_theme', theme: themeId(theme) }),
      delete_theme: (site, { theme }, { tx }) => job(tx, site, { kind: 'delete_theme', theme: themeId(theme) }),
      set_theme_auto_update: (site, { theme, enabled }, { tx }) =>
        change(tx, site, { kind: 'set_theme_auto_update', theme: themeId(theme), enabled: enabled === 1 }, theme),
      run_scheduled_event: (site, { event }, { tx }) =>
        change(tx, site, { kind: 'run_event', id: eventId(event) }, event.split('|').slice(2).join('|'), 'cron'),
      run_due_events: async (site, _args, { tx }) =>
        siteCall(deps, tx, assertWordPress(site), {
          needs: 'cron',
          changes: true,
          run: async (engine, ref) => {
            const ran = await engine.runCron(ref)
            await inspectAndStore(deps, engine, ref)
            return { ran }
          },
        }),
      pause_scheduled_events: (site, { paused }, { tx }) =>
        change(tx, site, { kind: 'pause_events', paused: paused === 1 }, '', 'cron'),
      flush_cache: (site, _args, { tx }) => change(tx, site, { kind: 'flush_cache' }, ''),
      flush_cache_job: (site, _args, { tx }) => enqueueFor(deps, tx, assertWordPress(site), 'site.flush_cache'),
      checksum_report: async (site, _args, { tx }) => readChecksum(tx, assertWordPress(site).name),
      verify_checksums: (site, _args, { tx }) => enqueueFor(deps, tx, assertWordPress(site), 'site.verify_checksums'),
    },
  })
}
