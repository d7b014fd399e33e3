import { controller, type Controller } from '#server/contracts/controller.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { data, select } from '#shared/fields.ts'
import { serverMetrics, type ServerMetrics } from '#shared/responses/server-metrics.ts'
import { serverRangeKeys } from '#shared/rules/metric-ranges.ts'
import type { MetricsContext } from './metrics-context.ts'
import { makeToken } from './metrics-token.ts'
import { readMetrics } from './read-metrics.ts'
import { serverCosts } from './server-costs.ts'

/** Actions of a server about its samples. The store checks permissions first. */
export function metricsActions({ clock, machineTokens }: MetricsContext): Controller {
  return controller(ServerDoctype, {
    actions: {
      get_metrics: (server, { range }, { tx }) => readMetrics(tx, server, range ?? '24h', clock.now()),

      get_costs: (server, _args, { tx }) => serverCosts(tx, server, clock.now()),

      make_metrics_token: async (server, _args, { tx }) => ({ token: await makeToken(machineTokens, tx, server) }),
    },
  })
}

/** The action of the same name, as clients call it: who may run it is declared there. */
export const getMetricsMethod: Method = defineMethod({
  name: 'easydash.easydash.doctype.server.server.get_metrics',
  access: 'verified',
  tokens: 'servers:read',
  verbs: ['GET', 'POST'],
  params: { server: data({ reqd: true }), range: select(serverRangeKeys, { default: '24h' }) },
  description: 'Samples of a server’s load, processor, memory, disk and network, one for each five minutes of a range.',
  returns: serverMetrics,
  run: async ({ server, range }, { session, documents }) =>
    (await documents.runAction(session, 'Server', server, 'get_metrics', { range })) as ServerMetrics,
})
