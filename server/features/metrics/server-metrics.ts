import type { Feature } from '#server/contracts/feature.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { ingestRoute } from './ingest.ts'
import { getMetricsMethod, metricsActions } from './metrics-actions.ts'
import type { MetricsContext, MetricsDeps } from './metrics-context.ts'
import { metricsTables } from './metrics-tables.ts'
import { metricsSweep } from './retention.ts'
import { sampleMachine } from './sample-machine.ts'

/** Samples of servers: agents send those of other machines, this machine is measured here. */
export function createServerMetrics(deps: MetricsDeps): Feature {
  const context: MetricsContext = { ...deps, clock: deps.clock ?? systemClock }
  return {
    tables: metricsTables,
    controllers: [metricsActions(context)],
    methods: [getMetricsMethod],
    routes: [ingestRoute(context)],
    schedules: sampleMachine(context),
    sweeps: [metricsSweep(deps.documents, context.clock)],
  }
}
