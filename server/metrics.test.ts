import { expect, test } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { metricsText, processMetrics } from './metrics.ts'

/** Names and values of the metrics; fails for a line that Prometheus would reject. */
function figuresOf(text: string): Record<string, number> {
  expect(text.endsWith('\n')).toBe(true)
  const figures: Record<string, number> = {}
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:gauge|counter))$/.test(line)) continue
    const [, name, value] = /^([a-z_]+) (\d+(?:\.\d+)?)$/.exec(line) ?? []
    expect([line, name !== undefined]).toEqual([line, true])
    figures[name ?? ''] = Number(value)
  }
  return figures
}

test('reports the process and tasks that blocked the event loop', async () => {
  const text = await metricsText(
    processMetrics(() => ({ blocked: 3, blockedMs: 1234 })),
    silentLog,
  )
  expect(figuresOf(text)).toMatchObject({
    easydash_event_loop_blocked_total: 3,
    easydash_event_loop_blocked_seconds_total: 1.234,
    easydash_resident_bytes: expect.any(Number) as unknown,
    easydash_heap_bytes: expect.any(Number) as unknown,
    easydash_uptime_seconds: expect.any(Number) as unknown,
  })
  const idle = await metricsText(
    processMetrics(() => null),
    silentLog,
  )
  expect(figuresOf(idle)).toMatchObject({ easydash_event_loop_blocked_total: 0 })
})

test('omits a metric that cannot be read, and reports the others', async () => {
  const warnings: unknown[] = []
  const text = await metricsText(
    [
      { kind: 'gauge', name: 'easydash_broken', help: 'Fails.', value: () => Promise.reject(new Error('away')) },
      { kind: 'gauge', name: 'easydash_fine', help: 'Works.', value: async () => 2 },
    ],
    { warn: (_message, fields) => void warnings.push(fields) },
  )
  expect(figuresOf(text)).toEqual({ easydash_fine: 2 })
  expect(warnings).toEqual([expect.objectContaining({ metric: 'easydash_broken' })])
})
