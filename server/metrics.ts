import type { Metric } from '#server/contracts/metric.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { LoopStats } from '#server/platform/log/loop-watchdog.ts'

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
