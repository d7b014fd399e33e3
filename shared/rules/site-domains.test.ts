import { expect, test } from 'vitest'
import fc from 'fast-check'
import { checkDomain } from './formats.ts'
import { parseSiteDomain, type DomainRules } from './site-domains.ts'

const rules: DomainRules = { sitesDomain: 'sites.example.net', dashboardHost: 'dash.agency.example' }
const parse = (text: string, own: DomainRules = rules) => {
  const parsed = parseSiteDomain(text, own)
  return 'domain' in parsed ? parsed.domain : null
}

test.each([
  ['shop', 'shop'],
  ['  shop.sites.example.net ', 'shop'],
  ['https://www.example.com/', 'www.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['пример.example', 'xn--e1afmkfd.example'],
  ['www.mail.example', 'www.mail.example'],
  ['example.net', 'example.net'],
])('takes %s as %s', (text, domain) => {
  expect(parse(text)).toBe(domain)
})

test.each([
  '',
  'sites.example.net',
  'a.b.sites.example.net',
  'xn--bcher-kva.sites.example.net',
  'api',
  'ap1',
  'adm1n',
  'loca1host',
  'dash.agency.example',
  'agency.example',
  'other.agency.example',
  'example.com.',
  '*.example.com',
  'example.com:80',
  'example.com/x',
  'ann@example.com',
  '10.0.0.1',
  '0x7f.0.0.1',
  '[::1]',
  '::1',
  'x.localhost',
  'x.onion',
  'exa%6dple.com',
  'a..example',
  `${'a'.repeat(64)}.example`,
  // Cyrillic letters that look like "admin", "mail" and "paypal".
  'а\u0501min.example',
  'pаypal.example',
  'xn--pypal-4ve.example',
])('refuses %s', (text) => {
  expect(parse(text)).toBeNull()
})

test.each([
  ['Shop', 'shop'],
  ['www.Example.com', 'www.example.com'],
  ['https://WWW.example.com/', 'www.example.com'],
  ['BÜCHER.example', 'bücher.example'],
  ['XN--bcher-kva.example', 'xn--bcher-kva.example'],
])('refuses %s and says how it is written', (text, lower) => {
  const parsed = parseSiteDomain(text, rules)
  expect('problem' in parsed && parsed.problem.text).toBe(`Write the name in lower case: “${lower}”.`)
})

test('an engine without a domain of its own takes full names only', () => {
  expect(parse('shop', { ...rules, sitesDomain: null })).toBeNull()
  expect(parse('shop.example', { ...rules, sitesDomain: null })).toBe('shop.example')
})

test('what it takes of any text is a name, and is taken as itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.domain(), fc.webUrl()), (text) => {
      const domain = parse(text)
      if (domain === null) return
      expect(domain.includes('.') ? checkDomain(domain) : null).toBeNull()
      expect(domain).toMatch(/^[a-z0-9.-]{1,253}$/)
      expect(parse(domain)).toBe(domain)
    }),
  )
})
