import type { MetricsSample, ServerMetrics } from '#shared/responses/server-metrics.ts'

/** A sample for tests. */
export function measuredAt(timestamp: number, total = 25): MetricsSample {
  return {
    timestamp,
    instance: 'web-1',
    primary_interface: 'eth0',
    load: { m1: 0.5, m5: 0.25, m15: 0.1 },
    uptime: 86_400,
    cpu: { user: total - 5, system: 5, idle: 100 - total, total },
    memory: { total: 8e9, used: 3e9, free: 1e9, percent: 37.5 },
    disk: { total: 8e10, used: 4e10, free: 4e10, percent: 50 },
    swap: { total: 0, used: 0, free: 0, percent: 0 },
    network: {
      ...{ rx_bytes: 0, tx_bytes: 0, rx_packets: 0, tx_packets: 0 },
      ...{ rx_errors: 0, tx_errors: 0, rx_dropped: 0, tx_dropped: 0 },
    },
    missing: 0,
  }
}

/** A slot without a sample. */
export const missingAt = (timestamp: number): ServerMetrics['samples'][number] => ({ timestamp, missing: 1 })
