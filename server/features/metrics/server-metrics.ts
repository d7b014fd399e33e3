import type { Feature } from '#server/contracts/feature.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { agentScript, isReachable, metricsAgentFiles, type AgentFile } from './agent/agent-files.ts'
import { alertControllers } from './alerts/alert-controllers.ts'
import { alertSweep, evaluateAlerts } from './alerts/evaluate-alerts.ts'
import { storeObservation, type ServerObservation } from './alerts/observations.ts'
import { ingestRoute, parseSamples, storeSent } from './ingest.ts'
import { getMetricsMethod, metricsActions } from './metrics-actions.ts'
import type { MetricsContext, MetricsDeps } from './metrics-context.ts'
import { metricsTables } from './metrics-tables.ts'
import { makeToken } from './metrics-token.ts'
import { metricsSweep } from './retention.ts'
import { sampleMachine } from './sample-machine.ts'

/** What the metrics feature provides to the composition root. */
export interface MetricsFeature extends Feature {
  /** Whether servers can send their samples here. Otherwise they are pulled. */
  readonly areSent: boolean
  /** The files of a server's agent. Makes its token, which ends the one before. */
  agentFiles(tx: Tx, server: Pick<Server, 'name' | 'organization'>): Promise<AgentFile[]>
  /** Stores the sample that a script prints when `run` runs it on a server with its arguments. */
  pull(server: string, run: (script: string, args: readonly string[]) => Promise<string>): Promise<void>
  /** Stores what was seen on a server, which alert rules judge. */
  observe(server: string, observation: ServerObservation): Promise<void>
}

/** Samples of servers: agents send those of other machines, or they are asked for them; this machine is measured here. */
export function createServerMetrics(deps: MetricsDeps): MetricsFeature {
  const context: MetricsContext = { ...deps, clock: deps.clock ?? systemClock }
  const { url, machineTokens, clock } = context
  return {
    areSent: isReachable(url),
    agentFiles: async (tx, server) => metricsAgentFiles({ url, token: await makeToken(machineTokens, tx, server) }),
    async pull(server, run) {
      const [sample] = parseSamples(await run(await agentScript(), ['print']))
      if (!sample) return
      // It was taken now, whatever the clock of the server says.
      const timestamp = Math.floor(clock.now() / 1000)
      await storeSent(context, systemSession('schedule'), server, [{ ...sample, timestamp }])
    },
    observe: (server, observation) =>
      context
        .documents()
        .transaction(systemSession('schedule'), (tx) => storeObservation(tx, server, observation, clock.now())),
    tables: metricsTables,
    controllers: [metricsActions(context), ...alertControllers(context)],
    methods: [getMetricsMethod],
    routes: [ingestRoute(context)],
    schedules: [
      ...sampleMachine(context),
      { name: 'servers.alerts', everySeconds: 60, atStart: true, run: () => evaluateAlerts(context) },
    ],
    sweeps: [metricsSweep(deps.documents, clock), alertSweep(context)],
  }
}
