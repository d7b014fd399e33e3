import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAccessLine } from '#shared/rules/access-line.ts'
import { accessLine, loggedTarget, type AccessEntry } from './access-line.ts'

const entry: AccessEntry = {
  address: '192.0.2.7',
  at: Date.UTC(2026, 10, 24, 20, 15, 1),
  method: 'GET',
  target: '/shop/?page=2',
  httpVersion: '1.1',
  status: 200,
  bytes: 5_120,
  tookMs: 12.4,
  siteMs: 8.6,
  referrer: 'https://example.com/',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
}

test('a line has the combined format, and the milliseconds', () => {
  expect(accessLine(entry)).toBe(
    '192.0.2.7 - - [24/Nov/2026:20:15:01 +0000] "GET /shop/?page=2 HTTP/1.1" 200 5120 "https://example.com/" "Mozilla/5.0 (X11; Linux x86_64)" 12 9\n',
  )
  expect(accessLine({ ...entry, address: null, bytes: null, siteMs: null, referrer: '', userAgent: '' })).toBe(
    '- - - [24/Nov/2026:20:15:01 +0000] "GET /shop/?page=2 HTTP/1.1" 200 - "-" "-" 12 -\n',
  )
})

test.each([
  ['/.easydash/login?token=abc', '/.easydash/login?token=*****'],
  ['/?a=1&access_token=abc&b=2', '/?a=1&access_token=*****&b=2'],
  ['/wp-login.php?action=rp&key=abc&login=ada', '/wp-login.php?action=rp&key=*****&login=*****'],
  ['/?_wpnonce=1a2b', '/?_wpnonce=*****'],
  ['/?user[pass]=x&user%5Bkey%5D=y', '/?user[pass]=*****&user%5Bkey%5D=*****'],
  ['/?keyword=shoes&design=red&catalog=5', '/?keyword=shoes&design=red&catalog=5'],
  ['http://user:secret@host/path?x=1', '/path?x=1'],
  ['*', '*'],
  ['', '/'],
])('%s is logged as %s', (target, logged) => {
  expect(loggedTarget(target)).toBe(logged)
})

test('a referrer shows no secrets either', () => {
  const line = accessLine({ ...entry, referrer: 'http://ada:pw@blog.localhost/?reset_token=abc' })
  expect(line).toContain('"http://blog.localhost/?reset_token=*****"')
})

test('nothing that a visitor sends ends a line or a field, or makes it long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), (text) => {
      const line = accessLine({ ...entry, method: text, target: `/${text}`, referrer: text, userAgent: text })
      expect(line).toMatch(/^[\x20-\x7e]*\n$/)
      expect(line.length).toBeLessThan(7_000)
      // Six quotes of the format; all others are escaped.
      expect(line.replace(/\\./g, '').split('"')).toHaveLength(7)
    }),
  )
})

test('a line is read as it was written, whatever a visitor sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), fc.nat(100_000), (text, siteMs) => {
      const read = readAccessLine(
        accessLine({ ...entry, target: `/${text}`, referrer: text, userAgent: text, siteMs }).slice(0, -1),
      )
      // A space ends a path: Node refuses such requests.
      if (!/[ ]/.test(text)) expect(read).toMatchObject({ at: entry.at, status: 200, tookMs: 12, siteMs })
    }),
  )
  const line = accessLine(entry).slice(0, -1)
  expect(readAccessLine(line.replace(/ 9$/, ' -'))).toMatchObject({ tookMs: 12, siteMs: null })
  expect(readAccessLine('- - - 3 more requests in this second were not written down')).toBeNull()
})
