import { defineMethod, type Method } from '#server/contracts/method.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { data, select } from '#shared/fields.ts'
import { uptimeSamples } from '#shared/responses/uptime.ts'
import { metricRangeKeys } from '#shared/rules/metric-ranges.ts'
import type { SitesDeps } from '../deps.ts'
import { readUptimeSamples } from './read-uptime.ts'

/** The checks of a site, in the slots that the metrics of servers have. */
export const uptimeMethod = (deps: SitesDeps): Method =>
  defineMethod({
    name: 'easydash.api.site.uptime',
    access: 'verified',
    verbs: ['GET', 'POST'],
    tokens: 'sites:read',
    params: { site: data({ reqd: true }), range: select(metricRangeKeys, { default: '24h' }) },
    description: 'Whether a site answered, in slots of five minutes, and when it was down.',
    returns: uptimeSamples,
    async run({ site, range }, { session, documents }) {
      const { name } = await documents.get(session, SiteDoctype, site)
      const now = (deps.clock ?? systemClock).now()
      return documents.transaction(session, (tx) => readUptimeSamples(tx, name, range ?? '24h', now))
    },
  })
