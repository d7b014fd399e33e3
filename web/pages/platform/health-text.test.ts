import { expect, test } from 'vitest'
import type { Health } from '#shared/responses/health.ts'
import { formatAge, healthSummary, screenshotsText, wordpressText } from './health-text.ts'

const well: Health = {
  ok: true,
  version: '1.2.3',
  node: '24.0.0',
  uptime_seconds: 7200,
  database: { ok: true, took_ms: 1, version: '18', size_bytes: 1, connections: 1 },
  migrations: { ok: true, schema_version: 1 },
  disk: { ok: true, free_bytes: 50 * 1024 ** 3, total_bytes: 100 * 1024 ** 3 },
  memory: { process_bytes: 1, heap_bytes: 1, web_processes: [], system_free_bytes: 1, system_total_bytes: 2 },
  queue: { ok: true, queued: 0, running: 0, lost_contact: 0, failed_24h: 0, oldest_queued_seconds: null },
  wordpress_cache: null,
  pictures: null,
  payments: null,
  mail: { ok: true, smtp: true, queued: 0, delayed: 0, failed: 0, kept: 0, oldest_queued_seconds: null },
  errors: null,
}
const summaryOf = (health: Health) => healthSummary(health).map(({ value, tone }) => [value, tone])

test('a healthy installation is reported as such', () => {
  expect(summaryOf(well)).toEqual([
    ['Everything is healthy', 'ok'],
    ['Nothing is waiting', 'ok'],
    ['50 GB of disk free', 'ok'],
  ])
  expect(healthSummary(undefined).map(({ value }) => value)).toEqual([null, null, null])
})

test('without mail delivery or the newest WordPress not everything is healthy', () => {
  const cache = { versions: ['6.5.5'], fallback: true, last_try: '2026-01-02 03:04:05.000000', last_failed: false }
  const limited = (more: Partial<Health>) => summaryOf({ ...well, ...more })[0]
  expect(limited({ mail: { ...well.mail, smtp: false } })).toEqual(['Running without mail delivery', 'warn'])
  expect(limited({ wordpress_cache: cache })).toEqual(['Running without the newest WordPress', 'warn'])
  expect(limited({ wordpress_cache: { ...cache, versions: [], fallback: false } })?.[1]).toBe('warn')
  expect(limited({ wordpress_cache: { ...cache, fallback: false } })).toEqual(['Everything is healthy', 'ok'])
  const unanswered = { ...cache, fallback: false, last_failed: true }
  expect(limited({ wordpress_cache: unanswered })).toEqual(['Running without wordpress.org', 'warn'])
  expect(wordpressText(unanswered)).toMatch(/^6\.5\.5; wordpress\.org could not be asked for a newer one at .*2026/)
})

test('unhealthy parts are named, with their effect', () => {
  const unhealthy: Health = {
    ...well,
    disk: { ok: false, free_bytes: null, total_bytes: null },
    queue: { ...well.queue, ok: false, queued: 4, running: 1, lost_contact: 2, oldest_queued_seconds: 1200 },
  }
  expect(summaryOf(unhealthy)).toEqual([
    ['Needs a look: disk, queue', 'bad'],
    ['2 jobs lost their workers', 'bad'],
    ['The disk cannot be read', 'bad'],
  ])
  expect(healthSummary(unhealthy)[1]?.detail).toBe('The oldest waits for 20 min')
  expect(formatAge(null)).toBe('—')
})

test('WordPress for new sites: its version, and a warning if the newest could not be fetched', () => {
  const text = wordpressText
  expect(text(null)).toBe('No sites run in this process')
  expect(text({ versions: [], fallback: false, last_try: null, last_failed: false })).toBe('None yet')
  expect(
    text({ versions: ['6.10', '6.9'], fallback: false, last_try: '2026-01-02 03:04:05.000000', last_failed: false }),
  ).toBe('6.10')
  expect(text({ versions: ['6.5.5'], fallback: true, last_try: null, last_failed: false })).toMatch(
    /^6\.5\.5, not the newest: .*yet$/,
  )
  expect(
    text({ versions: ['6.5.5'], fallback: true, last_try: '2026-01-02 03:04:05.000000', last_failed: false }),
  ).toMatch(/^6\.5\.5, not the newest: .*wordpress\.org, last tried .*2026/)
})

test('screenshots: available, unavailable with the reason, and when a failed browser start is retried', () => {
  expect(screenshotsText(null)).toBe('No sites run in this process')
  expect(screenshotsText({ state: 'on', next_try: null })).toBe('On')
  expect(screenshotsText({ state: 'off', next_try: null })).toBe('Turned off')
  expect(screenshotsText({ state: 'broken', next_try: '2026-01-02 03:04:05.000000' })).toMatch(
    /^The browser does not start; next attempt at \S.* or when someone refreshes a screenshot$/,
  )
})
