import { expect, test } from 'vitest'
import { metricsText } from './metrics.ts'

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

test('tells of sites and of tasks that blocked the event loop', () => {
  const text = metricsText({ sites: [{ pid: 1 }, { pid: null }], loop: { blocked: 3, blockedMs: 1234 } })
  expect(figuresOf(text)).toMatchObject({
    easydash_local_sites: 2,
    easydash_local_sites_awake: 1,
    easydash_event_loop_blocked_total: 3,
    easydash_event_loop_blocked_seconds_total: 1.234,
    easydash_resident_bytes: expect.any(Number) as unknown,
  })
  expect(figuresOf(metricsText({ sites: [], loop: null }))).toMatchObject({ easydash_event_loop_blocked_total: 0 })
})
