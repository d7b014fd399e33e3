import { controller, type Controller } from '#server/contracts/controller.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { lateEventSeconds } from '#shared/rules/scheduled-events.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'
import { changeWordPress } from './change-wordpress.ts'
import { inspectAndStore } from './inspect.ts'
import { eventId } from './valid-names.ts'

/** Actions on the scheduled events of a site's WordPress. The store checks state and permissions first. */
export function cronActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      list_cron: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'cron',
          run: async (engine, ref) => {
            const { paused, rows } = (await engine.wordpress.inspect(ref)).events
            const lateBefore = (deps.clock ?? systemClock).now() / 1000 - lateEventSeconds
            return rows.map(({ id, hook, at, schedule }) => ({
              ...{ hook, next: formatTimestamp(at * 1000), schedule, late: !paused && at < lateBefore, event: id },
            }))
          },
        }),
      async run_cron(site, { hook, event }, { tx }) {
        if (event !== null)
          return changeWordPress(deps, tx, site, {
            given: { kind: 'run_event', id: eventId(event) },
            title: event.split('|').slice(2).join('|'),
            needs: 'cron',
          })
        return siteCall(deps, tx, site, {
          needs: 'cron',
          changes: true,
          entry: { detail: untranslated(hook) },
          async run(engine, ref) {
            const { events } = await engine.wordpress.inspect(ref)
            const due = events.rows.filter((one) => one.hook === hook)
            if (due.length === 0)
              throw new AppError('not_found', msg`There is no scheduled event of this hook.`, { field: 'hook' })
            let ran = 0
            for (const { id } of due) ran += (await engine.wordpress.change(ref, { kind: 'run_event', id })).ran ?? 0
            await inspectAndStore(deps, engine, ref)
            return { ran }
          },
        })
      },
      run_due_events: async (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'cron',
          changes: true,
          run: async (engine, ref) => {
            const ran = await engine.runCron(ref)
            await inspectAndStore(deps, engine, ref)
            return { ran }
          },
        }),
      pause_scheduled_events: (site, { paused }, { tx }) =>
        changeWordPress(deps, tx, site, {
          given: { kind: 'pause_events', paused: paused === 1 },
          title: '',
          needs: 'cron',
        }),
    },
  })
}
