import { expect, test } from 'vitest'
import type { SiteLogs } from '#server/engines/site-logs.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { readSlowPages } from './slow-pages.ts'

const now = Date.UTC(2026, 10, 24, 12)
const since = now - 86_400_000
const ref = { id: 's1', domain: 'blog', siteType: 'wp', phpVersion: '8.4', server: thisMachine } as const

/** A line: who, when, what, and how long the site took. */
const line = (target: string, siteMs: number | '-', { at = now, from = '192.0.2.7', method = 'GET' } = {}): string => {
  const [, day, month, year, time] = new Date(at).toUTCString().split(' ')
  return `${from} - - [${day}/${month}/${year}:${time} +0000] "${method} ${target} HTTP/1.1" 200 5 "-" "Agent" 9000 ${siteMs}`
}

/** Reads a log of these parts, newest first. */
function read(...parts: readonly (readonly string[])[]) {
  const asked: string[] = []
  const logs = {
    read: async (_site: unknown, _log: string, range: { before?: string }) => {
      const part = Number(range.before ?? 0)
      asked.push(range.before ?? 'end')
      return { lines: parts[part] ?? [], start: part + 1 < parts.length ? String(part + 1) : null }
    },
  }
  return readSlowPages(logs as unknown as SiteLogs, ref, since).then((found) => ({ found, asked }))
}

test('pages over two seconds are counted by path, the slowest first', async () => {
  const lines = [line('/shop/?page=1', 2_001), line('/shop/?page=2', 4_000), line('/', 2_500), line('/fast/', 2_000)]
  expect((await read(lines)).found).toEqual({
    count: 3,
    pages: [
      { path: '/shop/', count: 2, slowest_ms: 4_000 },
      { path: '/', count: 1, slowest_ms: 2_500 },
    ],
    atLeast: false,
  })
})

test('requests that waited for a start, came from Easydash, the admin or an earlier day, or sent something do not count', async () => {
  const lines = [
    line('/', '-'),
    line('/', 9_000, { from: '-' }),
    line('/', 9_000, { method: 'POST' }),
    line('/wp-admin/plugins.php', 9_000),
    line('/second/wp-admin/', 9_000),
    line('/wp-login.php', 9_000),
    line('/wp-cron.php?doing_wp_cron', 9_000),
    line('/', 9_000, { at: since - 2_000 }),
    '- - - 3 more requests in this second were not written down',
  ]
  expect((await read(lines)).found, 'nothing was observed').toBeNull()
  expect((await read([...lines, line('/', 10)])).found).toEqual({ count: 0, pages: [], atLeast: false })
})

test('the log is read back to the day before, and no further than its limit', async () => {
  const old = line('/', 9_000, { at: since - 2_000 })
  const back = await read([line('/', 3_000)], [line('/', 5_000), old], [old])
  expect([back.asked, back.found?.count, back.found?.atLeast]).toEqual([['end', '1'], 2, false])
  const much = (ms: number) => Array.from({ length: 40 }, () => [line('/', ms)])
  const busy = await read(...much(3_000))
  expect([busy.asked.length, busy.found]).toEqual([16, expect.objectContaining({ count: 16, atLeast: true })])
  expect((await read(...much(5))).found, 'not all was seen').toBeNull()
})
