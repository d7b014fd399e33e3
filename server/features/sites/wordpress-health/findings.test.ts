import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findingKinds } from '#shared/responses/site-findings.ts'
import { findingsOf, type Observed } from './findings.ts'
import { countPhpErrors } from './php-errors.ts'

const fine: Observed = {
  health: {
    errors_shown: false,
    file_editing: false,
    default_admin: false,
    uploads_php: false,
    events_paused: false,
    late_events: null,
  },
  phpErrors: { count: 0, last: null, atLeast: false },
  facts: null,
  p95Ms: null,
  slowPages: null,
  diskShare: null,
  oldPhp: null,
}
const health = (changes: Partial<Exclude<Observed['health'], string>>): Observed => ({
  ...fine,
  health: { ...(fine.health as Exclude<Observed['health'], string>), ...changes },
})
const kindsOf = (observed: Observed) => findingsOf(observed).findings.map(({ kind }) => kind)

test('nothing is found at a site with which nothing is wrong', () => {
  expect(findingsOf(fine)).toEqual({ findings: [], not_observed: ['updates', 'speed', 'pages', 'disk'] })
  const slowPages = { count: 0, pages: [], atLeast: false }
  expect(findingsOf({ ...fine, p95Ms: 2_000, slowPages, diskShare: 0.89 })).toEqual({
    findings: [],
    not_observed: ['updates'],
  })
  expect(findingsOf({ ...fine, health: 'x' }).not_observed).toContain('inside')
})

test.each([
  ['errors_shown', health({ errors_shown: true }), null, null],
  ['file_editing', health({ file_editing: true }), null, null],
  ['default_admin', health({ default_admin: true }), null, null],
  ['uploads_php', health({ uploads_php: true }), null, null],
  ['events_paused', health({ events_paused: true }), null, null],
  ['late_events', health({ late_events: { count: 3, hook: 'wp_cron', seconds: 901 } }), 3, 'wp_cron'],
  ['broken', { ...fine, health: 'Call to undefined x()' }, null, 'Call to undefined x()'],
  ['php_errors', { ...fine, phpErrors: { count: 2, last: 'Fatal error: x', atLeast: false } }, 2, 'Fatal error: x'],
  ['slow', { ...fine, p95Ms: 2_000.6 }, 2_001, null],
  ['disk', { ...fine, diskShare: 0.9 }, 90, null],
  ['old_php', { ...fine, oldPhp: '8.1' }, null, '8.1'],
] as const)('%s is found', (kind, observed, count, detail) => {
  expect(findingsOf(observed)).toMatchObject({ findings: [{ kind, count, detail, at_least: false }] })
})

test('the most urgent comes first', () => {
  const all = {
    ...health({ file_editing: true, default_admin: true }),
    p95Ms: 9_000,
    phpErrors: { count: 1, last: 'x', atLeast: false },
  }
  expect(kindsOf(all)).toEqual(['php_errors', 'slow', 'default_admin', 'file_editing'])
  expect(findingKinds[0]).toBe('broken')
})

const now = Date.UTC(2026, 10, 24, 12)
const day = 86_400_000

test('errors of the last day that ended a request are counted', () => {
  const lines = [
    '[23-Nov-2026 11:59:59 UTC] PHP Fatal error:  Too old in /wordpress/a.php on line 1',
    '[23-Nov-2026 12:00:00 UTC] PHP Parse error:  syntax error in /wordpress/a.php on line 1',
    'Stack trace:',
    '#0 {main}',
    '[24-Nov-2026 10:00:00 UTC] PHP Warning:  Not counted in /wordpress/a.php on line 2',
    '[24-Nov-2026 11:00:00 UTC] PHP Fatal error:  Uncaught Error: Call to undefined function x()',
    '[99-Foo-2026 11:00:00 UTC] PHP Fatal error:  No date',
  ]
  const last = 'Fatal error: Uncaught Error: Call to undefined function x()'
  expect(countPhpErrors([{ lines, isPart: false }], now - day)).toEqual({ count: 2, last, atLeast: false })
  // The part that was read begins before that day.
  expect(countPhpErrors([{ lines, isPart: true }], now - day)).toEqual({ count: 2, last, atLeast: false })
  expect(countPhpErrors([{ lines: lines.slice(1), isPart: true }], now - day)).toEqual({
    count: 2,
    last,
    atLeast: true,
  })
})

test('errors of both logs are counted, and the last one is the latest of both', () => {
  const php = ['[24-Nov-2026 11:00:00 UTC] PHP Fatal error:  In one log']
  const debug = ['[24-Nov-2026 11:30:00 UTC] PHP Fatal error:  In debug mode', 'no entry']
  for (const order of [
    [php, debug],
    [debug, php],
  ])
    expect(
      countPhpErrors(
        order.map((lines) => ({ lines, isPart: lines === debug })),
        now - day,
      ),
    ).toEqual({ count: 2, last: 'Fatal error: In debug mode', atLeast: true })
})

test('any line is read without an error', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 400 }), { maxLength: 30 }), (lines) => {
      const { count, last } = countPhpErrors([{ lines, isPart: true }], now)
      expect(count).toBeLessThanOrEqual(lines.length)
      expect((last ?? '').length).toBeLessThanOrEqual(300)
    }),
  )
})
