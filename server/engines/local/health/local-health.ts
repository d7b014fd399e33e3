import { lateEventSeconds } from '#shared/rules/scheduled-events.ts'
import { wordpressHealthFacts, type WordPressHealth } from '../../wordpress-health.ts'
import { managedRecord, runScript, type ScriptContext } from '../wordpress/run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'

/** Looks at WordPress by a script in the site's own process, and at how it is served. */
export function createLocalHealth(context: ScriptContext): WordPressHealth {
  return {
    async inspect(site, signal) {
      const record = managedRecord(context, site)
      const input = { safe: false, late_seconds: lateEventSeconds }
      const found = await runScript(context, record, { script: 'health', input, signal })
      const uploads_php = !(record.settings?.protections ?? []).includes('no_uploads_php')
      const { data } = wordpressHealthFacts.safeParse({ ...found, uploads_php })
      if (!data) throw unreadable()
      return data
    },
  }
}
