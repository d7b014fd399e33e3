import { controller, ExternalCall, type Controller } from '#server/contracts/controller.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, serverOf } from '../engine-of.ts'
import { checkAwake } from '../health.ts'
import { writeSite } from '../job-parts.ts'
import { keywordOf } from './probe.ts'
import { readUptime } from './read-uptime.ts'
import { writeSamples } from './uptime-tables.ts'

/** Actions of the uptime check of a site. The store checks state and permissions first. */
export function monitoringActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      uptime: (site, { range }, { tx }) => readUptime(tx, site.name, range ?? '24h', (deps.clock ?? systemClock).now()),

      async check_now(site, _args, { tx }) {
        await assertNotLocked(tx, site)
        if (site.maintenance === 1)
          throw new AppError('invalid', msg`The site is in maintenance mode, so it is not checked.`)
        const engine = engineFor(deps.engines, site)
        const server = await serverOf(tx, site)
        return new ExternalCall(async () => {
          // Another machine's site must not be taken for one that does not answer.
          const held = (await engine.host?.sites(server))?.find(({ id }) => id === site.name)
          if (!held)
            throw new AppError('unavailable', msg`The site is on another machine, which checks it every minute.`)
          const sample = await checkAwake(deps, { engine, server }, site.name, { justWoke: held.state !== 'running' })
          if (!sample || (sample.state !== 'up' && sample.state !== 'slow' && sample.state !== 'down'))
            throw new AppError('conflict', msg`The site changed meanwhile, so it was not checked.`)
          await deps.documents().transaction(systemSession('schedule'), (own) => writeSamples(own, [sample]))
          return { state: sample.state, status: sample.status, total_ms: sample.totalMs }
        })
      },

      async set_uptime_keyword(site, { keyword }, { tx }) {
        await writeSite(tx, site.name, { uptime_keyword: keywordOf(keyword) })
        return null
      },
    },
  })
}
