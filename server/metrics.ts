import type { LoopFigures } from '#server/platform/log/loop-watchdog.ts'

/** Sources of a process's metrics, in addition to the process itself. */
export interface MetricsSource {
  sites: readonly { readonly pid: number | null }[]
  /** Null until the event loop is monitored. */
  loop: LoopFigures | null
}

/** Metrics of this process in the Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export function metricsText({ sites, loop }: MetricsSource): string {
  const { rss, heapUsed } = process.memoryUsage()
  const figure = (kind: 'gauge' | 'counter', name: string, help: string, value: number) =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${value}\n`
  const awake = sites.filter((site) => site.pid !== null).length
  return [
    figure('gauge', 'easydash_resident_bytes', 'Memory of the process.', rss),
    figure('gauge', 'easydash_heap_bytes', 'Memory of its JavaScript objects.', heapUsed),
    figure('gauge', 'easydash_uptime_seconds', 'Age of the process.', Math.round(process.uptime())),
    figure('gauge', 'easydash_local_sites', 'Sites on this machine.', sites.length),
    figure('gauge', 'easydash_local_sites_awake', 'Sites with a running process.', awake),
    figure(
      'counter',
      'easydash_event_loop_blocked_total',
      'Tasks that blocked the event loop for more than 200 ms.',
      loop?.blocked ?? 0,
    ),
    figure(
      'counter',
      'easydash_event_loop_blocked_seconds_total',
      'Time for which they did.',
      (loop?.blockedMs ?? 0) / 1000,
    ),
  ].join('')
}
