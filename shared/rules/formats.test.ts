import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFormat } from './formats.ts'
import type { FieldFormat } from '../fields.ts'

const good: Record<FieldFormat, string[]> = {
  email: ['ann@example.com', 'Ann.Lee+news@sub.example.co', 'a_b-c@xn--mnchen-3ya.de', '0@a.b'],
  domain: ['example.com', 'a.b', 'xn--mnchen-3ya.de', 'xn--fiqs8s.cn', 'xn--80ak6aa92e.com', `${'a'.repeat(63)}.de`],
  visible: ['blog', 'web1.example.com', 'bücher.example', 'UPPER'],
  slug: ['acme', 'a-1', '123', 'a'.repeat(32)],
  username: ['admin', 'a', 'a_b-9'],
  hostname: ['web1', 'web1.example.com'],
  ip: ['203.0.113.5', '0.0.0.0', '::1', '2001:db8::5', '::ffff:127.0.0.1'],
  ipv4: ['203.0.113.5', '0.0.0.0', '127.0.0.1'],
  ipv6: ['::1', '2001:db8::5', '::ffff:127.0.0.1'],
  url: ['https://example.com', 'http://example.com:8080/a?b=c#d', 'https://bücher.example/x'],
  phone: ['+49 30 1234567', '(030) 123-4567'],
  timezone: ['Europe/Berlin', 'UTC', 'America/Argentina/Ushuaia'],
  time: ['00:00', '03:30', '23:59'],
}

const bad: Record<FieldFormat, string[]> = {
  email: [
    '',
    'ann',
    '@example.com',
    'ann@',
    'ann@localhost',
    'ann@@example.com',
    'a b@example.com',
    'ann@example.com\n',
    '"a"@example.com',
    '-ann@example.com',
    '.ann@example.com',
    'ann.@example.com',
    'a..b@example.com',
    "a'b@example.com",
    'a$(x)@example.com',
    'ann@1.2.3.4',
    'ann@exa mple.com',
    'ann@example.com.',
    'änn@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(130)}de`,
  ],
  domain: [
    '',
    'localhost',
    'Example.com',
    '*.example.com',
    'example.com.',
    '.example.com',
    'a..b',
    '-a.de',
    'a-.de',
    '1.2.3.4',
    '1.2.3',
    'a.0x7f',
    'exa_mple.de',
    'münchen.de',
    'xn--zzzzzzzz99999.de',
    'xn--a.de',
    'xn--.de',
    'xn--abc-.de',
    'xn--99999999.de',
    `xn--${'9'.repeat(59)}.de`,
    'a.de/x',
    "a'.de",
    'a.de\n',
    `${'a'.repeat(64)}.de`,
    `${'a.'.repeat(130)}de`,
  ],
  visible: ['bl\u200Bog', 'blog\u202E', '\uFEFFblog', 'blog\n', 'bl\tog', 'bl\u00ADog', 'bl\u2028og', 'a'.repeat(254)],
  slug: ['', 'ab', 'a'.repeat(33), '-abc', 'abc-', 'Abc', 'a b', 'a_b', 'äbc', 'abc\n', '../a'],
  username: ['', 'Ann', '1a', '-a', 'a b', 'a'.repeat(33), 'root;', 'a\n'],
  hostname: ['', 'Web1', 'a_b', 'web1.', '10.0.0.1', '2130706433', '0x7f000001', '-a', 'a b'],
  ip: [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.4 ',
    '1.2.3.4.',
    'fe80::1%eth0',
    '[::1]',
    ':::',
    '1::2::3',
    'g::1',
  ],
  ipv4: [
    '',
    '::1',
    '2001:db8::5',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '1.2.3.4.5',
    '１２７.0.0.1',
    '1.2.3.4/8',
  ],
  ipv6: ['', '203.0.113.5', 'fe80::1%eth0', '[::1]', '::1/64', '1::2::3', 'localhost'],
  url: [
    '',
    'example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https://a b',
    'https://u:p@example.com',
    'https://exa\nmple.com',
    'https://example.com/\u202Efdp',
    'http:\\\\a',
  ],
  phone: ['', '123', 'call me', '+1234567890123456', '12345\n67890'],
  timezone: ['', 'Mars/Base', '+01:00', 'Europe/Berlin ', '../etc'],
  time: ['', '3:00', '24:00', '03:60', '03:00:00', '03:00\n'],
}

describe('formats', () => {
  for (const format of Object.keys(good) as FieldFormat[]) {
    test.each(good[format])(`${format} accepts %j`, (value) => expect(checkFormat(format, value)).toBeNull())
    test.each(bad[format])(`${format} refuses %j`, (value) =>
      expect(checkFormat(format, value)?.text).toMatch(/^[A-Z"].*\.$/),
    )
  }

  test('an international domain is accepted as the platform encodes it', () => {
    const letter = fc.constantFrom(...'abcxyzäöüßéñçøłžşđ中国日本語한국어абвгдежαβγδεζאבגד')
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 12 }), (text) => {
        if (!URL.canParse(`http://${text}.de/`)) return
        expect(checkFormat('domain', new URL(`http://${text}.de/`).hostname)).toBeNull()
      }),
    )
  })

  test('no accepted value holds anything that a shell, a path or a header would act on', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'aA0-._@+:/\\ \n\r\t\0\'"`$;|&<>*?()[]{}!#%~^=é\u202E'),
      maxLength: 40,
    })
    const strict: FieldFormat[] = ['email', 'domain', 'slug', 'username', 'hostname', 'ip', 'timezone', 'time']
    fc.assert(
      fc.property(hostile, fc.constantFrom(...strict), (value, format) => {
        if (checkFormat(format, value) === null) expect(value).toMatch(/^[A-Za-z0-9+_:][A-Za-z0-9@._+\-:/]*$/)
      }),
      { numRuns: 2000 },
    )
  })

  test('every check answers any text, and never slowly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (value) => {
        for (const format of Object.keys(good) as FieldFormat[]) {
          const problem = checkFormat(format, value)
          expect(problem === null || problem.text.length > 0).toBe(true)
        }
      }),
    )
    for (const format of Object.keys(good) as FieldFormat[])
      expect(checkFormat(format, 'a-'.repeat(100_000))).not.toBeNull()
  })

  test('names made of good labels are domains', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/)
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 5 }), (labels) => {
        expect(checkFormat('domain', labels.join('.'))).toBeNull()
        expect(checkFormat('email', `ann@${labels.join('.')}`)).toBeNull()
      }),
    )
  })
})
