import type { ActionResult, ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { EngineSettings } from '#server/engines/site-settings.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { siteCall } from '../site-call.ts'
import { settingsFieldsOf } from './settings-values.ts'

/** A change of settings that apply at once. */
interface ImmediateChange {
  readonly needs: 'maintenance' | 'http_auth' | 'preview_link'
  /** Changes them; `result` is what the action returns. */
  change(
    engine: EngineWith<ImmediateChange['needs']>,
    site: SiteRef,
  ): Promise<{ settings: EngineSettings; result?: ActionResult }>
  /** What the activity log says about it. */
  readonly after: Record<string, unknown>
  /** Other fields of the document to write. */
  readonly fields?: Partial<Site>
}

/** Changes settings that apply at once, then shows them in the document. */
export function changeNow(deps: SitesDeps, tx: Tx, site: Site, call: ImmediateChange): Promise<ExternalCall> {
  return siteCall(deps, tx, site, {
    needs: call.needs,
    changes: true,
    entry: { after: call.after },
    async run(engine, ref) {
      const { settings, result = null } = await call.change(engine, ref)
      await deps.documents().transaction(systemSession('schedule'), async (own) => {
        if (await own.get(SiteDoctype, site.name, { lock: true }))
          await writeSite(own, site.name, { ...settingsFieldsOf(settings), ...call.fields })
      })
      return result
    },
  })
}
