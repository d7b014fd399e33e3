import { controller, type Controller } from '#server/contracts/controller.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { previewHours } from '#shared/rules/preview-links.ts'
import type { SitesDeps } from '../deps.ts'
import { changeNow } from './change-now.ts'

/** Actions of a Site's preview link. The store checks state and permissions first. */
export function previewActions(deps: SitesDeps): Controller {
  const clock = deps.clock ?? systemClock
  return controller(SiteDoctype, {
    actions: {
      create_preview_link(site, { duration }, { tx }) {
        const until = clock.now() + previewHours[duration] * 3_600_000
        return changeNow(deps, tx, site, {
          needs: 'preview_link',
          after: { preview_until: formatTimestamp(until) },
          async change(engine, ref) {
            const { url, settings } = await engine.settings.createPreview(ref, until)
            return { settings, result: { url } }
          },
        })
      },

      end_preview_link: (site, _args, { tx }) =>
        changeNow(deps, tx, site, {
          needs: 'preview_link',
          after: { preview_until: null },
          change: async (engine, ref) => ({ settings: await engine.settings.endPreview(ref) }),
        }),
    },
  })
}
