import type { ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { untranslated } from '#shared/localized-message.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'
import { inspectAndStore } from './inspect.ts'

/** Changes after which stored facts are read again. */
const concernsFacts: ReadonlySet<WordPressChange['kind']> = new Set([
  'set_plugin_auto_update',
  'set_theme_auto_update',
  'add_user',
  'delete_user',
  'run_event',
  'pause_events',
])

/** A change that needs no job. `title` says what it concerns in the activity log. */
export async function changeWordPress(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  {
    given,
    title,
    needs = 'wordpress',
    action,
  }: {
    readonly given: WordPressChange
    readonly title: string
    readonly needs?: 'wordpress' | 'cron'
    /** See `ActionEntry`. */
    readonly action?: string
  },
): Promise<ExternalCall> {
  return siteCall(deps, tx, site, {
    needs,
    changes: true,
    entry: { ...(title === '' ? {} : { detail: untranslated(title) }), ...(action === undefined ? {} : { action }) },
    async run(engine, ref) {
      const { ran } = await engine.wordpress.change(ref, given)
      if (concernsFacts.has(given.kind)) await inspectAndStore(deps, engine, ref)
      return { ran }
    },
  })
}
