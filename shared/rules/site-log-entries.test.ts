import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countLevels, foldRepeats, matchingEntries } from './log-entries.ts'
import { entriesOf, phpLevel } from './site-log-entries.ts'

const php = (lines: readonly string[]) => entriesOf('php', lines, 0)
const at = Date.UTC(2026, 10, 24, 20, 15, 1)

describe('a PHP log', () => {
  test.each([
    ['PHP Fatal error:  Uncaught Error: Call to undefined function x()', 'error'],
    ['PHP Parse error:  syntax error, unexpected end of file', 'error'],
    ['PHP Recoverable fatal error:  x', 'error'],
    ['PHP Core Warning:  x', 'warning'],
    ['PHP Warning:  Undefined variable $a', 'warning'],
    ['PHP Notice:  x', 'notice'],
    ['PHP Strict Standards:  x', 'notice'],
    ['PHP Deprecated:  x', 'deprecated'],
    ['WordPress database error Table missing for query SELECT 1', 'error'],
    ['Easydash: GET /deep.php broke off: RangeError', 'error'],
    ['A plugin says: PHP Warning: nothing', 'info'],
    ['Warnings are fine', 'info'],
  ])('%s is of level %s', (text, level) => {
    expect(phpLevel(text)).toBe(level)
  })

  test('has an entry for each message, with the lines that belong to it', () => {
    const entries = php([
      '#5 the end of a trace whose beginning was not read',
      '[24-Nov-2026 20:15:01 UTC] PHP Fatal error:  Uncaught Error: x in /a.php:1',
      'Stack trace:',
      '#0 {main}',
      '  thrown in /a.php on line 1',
      '',
      '[24-Nov-2026 20:15:02 Europe/Berlin] Message',
      '[no time] text',
    ])
    expect(entries.map(({ key, level, at: time, text }) => [key, level, time, text])).toEqual([
      [0, 'info', null, '#5 the end of a trace whose beginning was not read'],
      [
        1,
        'error',
        at,
        'PHP Fatal error:  Uncaught Error: x in /a.php:1\nStack trace:\n#0 {main}\n  thrown in /a.php on line 1\n',
      ],
      [6, 'info', null, 'Message\n[no time] text'],
    ])
  })

  test('never loses a line, and does not gather more than 200 in an entry', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('[24-Nov-2026 20:15:01 UTC] x', 'more', '#0'), { maxLength: 600 }),
        (lines) => {
          const entries = php(lines)
          expect(entries.reduce((sum, { text }) => sum + text.split('\n').length, 0)).toBe(lines.length)
          for (const { text } of entries) expect(text.split('\n').length).toBeLessThanOrEqual(200)
          expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length)
        },
      ),
    )
  })
})

describe('an access log', () => {
  const line = '192.0.2.7 - - [24/Nov/2026:20:15:01 +0000] "GET /a?b=\\"c HTTP/1.1" 404 512 "-" "Agent \\"X\\"" 12 -'

  test('shows status, path and duration first', () => {
    expect(entriesOf('access', [line], 7)).toEqual([
      {
        key: 7,
        level: 'warning',
        at,
        text: '404 GET /a?b=\\"c  12 ms  512 B  192.0.2.7  Agent \\"X\\"',
        same: '404 GET /a?b=\\"c',
        count: 1,
        since: at,
      },
    ])
    expect(entriesOf('access', [line.replace('404', '503')], 0)[0]?.level).toBe('error')
    expect(entriesOf('access', ['- - - 3 more requests'], 0)[0]).toMatchObject({ level: 'info', at: null })
  })
})

describe('folding', () => {
  test('keeps the latest of entries that say the same, with their number and the first time', () => {
    const entries = php([
      '[24-Nov-2026 20:15:01 UTC] PHP Warning:  a',
      '[24-Nov-2026 20:15:02 UTC] PHP Warning:  b',
      '[24-Nov-2026 20:15:03 UTC] PHP Warning:  a',
    ])
    expect(foldRepeats(entries).map(({ text, count, at: time, since }) => [text, count, time, since])).toEqual([
      ['PHP Warning:  b', 1, at + 1_000, at + 1_000],
      ['PHP Warning:  a', 2, at + 2_000, at],
    ])
  })

  test('changes no number of occurrences, and folds nothing twice', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('PHP Warning:  a', 'PHP Notice:  b', 'c'), { maxLength: 60 }), (texts) => {
        const entries = php(texts.map((text) => `[24-Nov-2026 20:15:01 UTC] ${text}`))
        const folded = foldRepeats(entries)
        expect(countLevels(folded)).toEqual(countLevels(entries))
        expect(foldRepeats(folded)).toEqual(folded)
        expect(new Set(folded.map(({ same }) => same)).size).toBe(folded.length)
      }),
    )
  })
})

test('entries are found by level and text, in any case', () => {
  const entries = php([
    '[24-Nov-2026 20:15:01 UTC] PHP Warning:  Undefined X',
    '[24-Nov-2026 20:15:01 UTC] undefined y',
  ])
  const found = (levels: Parameters<typeof matchingEntries>[1], search: string) =>
    matchingEntries(entries, levels, search).map(({ key }) => key)
  expect(found(new Set(), ' UNDEFINED ')).toEqual([0, 1])
  expect(found(new Set(['warning']), '')).toEqual([0])
  expect(found(new Set(['warning']), 'y')).toEqual([])
})
