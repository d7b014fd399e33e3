import type { Metric } from '#server/contracts/metric.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { LoopStats } from '#server/platform/log/loop-watchdog.ts'
import type { WebFigures } from './web-messages.ts'
import type { WebProcesses } from './web-processes.ts'

/** Metrics of the process itself. `loop` returns null until the event loop is monitored. */
export function processMetrics(loop: () => LoopStats | null): Metric[] {
  return [
    {
      kind: 'gauge',
      name: 'easydash_resident_bytes',
      help: 'Memory of the process.',
      value: () => process.memoryUsage.rss(),
    },
    {
      kind: 'gauge',
      name: 'easydash_heap_bytes',
      help: 'Memory of its JavaScript objects.',
      value: () => process.memoryUsage().heapUsed,
    },
    {
      kind: 'gauge',
      name: 'easydash_uptime_seconds',
      help: 'Age of the process.',
      value: () => Math.round(process.uptime()),
    },
    {
      kind: 'counter',
      name: 'easydash_event_loop_blocked_total',
      help: 'Tasks that blocked the event loop for more than 200 ms.',
      value: () => loop()?.blocked ?? 0,
    },
    {
      kind: 'counter',
      name: 'easydash_event_loop_blocked_seconds_total',
      help: 'Time for which they did.',
      value: () => (loop()?.blockedMs ?? 0) / 1000,
    },
  ]
}

/** Metrics of the web processes besides the main one; none if there are none. */
export function webMetrics(web: Pick<WebProcesses, 'figures'> | null): Metric[] {
  if (web === null) return []
  const metric = (
    kind: Metric['kind'],
    name: string,
    help: string,
    value: (figures: readonly WebFigures[]) => number,
  ): Metric => ({ kind, name, help, value: async () => value(await web.figures()) })
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
  return [
    metric('gauge', 'easydash_web_processes', 'Web processes besides the main one that run.', (all) => all.length),
    metric('gauge', 'easydash_web_resident_bytes', 'Memory of them together.', (all) =>
      sum(all.map(({ residentBytes }) => residentBytes)),
    ),
    metric(
      'gauge',
      'easydash_web_event_loop_blocked',
      'Tasks that blocked the event loop of one of them for more than 200 ms since it started.',
      (all) => sum(all.map(({ loop }) => loop.blocked)),
    ),
  ]
}

/**
 * Metrics in the Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). One that throws is
 * logged and omitted.
 */
export async function metricsText(metrics: readonly Metric[], log: Pick<Log, 'warn'>): Promise<string> {
  const texts = await Promise.all(
    metrics.map(async ({ kind, name, help, value }) => {
      try {
        return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${await value()}\n`
      } catch (error) {
        log.warn('A metric could not be read', { metric: name, error })
        return ''
      }
    }),
  )
  return texts.join('')
}
