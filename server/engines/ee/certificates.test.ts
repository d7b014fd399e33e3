import fc from 'fast-check'
import { expect, test } from 'vitest'
import { certificateState, coversName } from '#shared/rules/site-certificates.ts'
import { parseSslInfo } from './certificates.ts'

const sha = 'a'.repeat(64)
const info = {
  ...{
    ssl_type: 'le',
    status: 'SSL certificate details loaded.',
    cert_file: '/certs/a.crt',
    issued_to_CN: 'a.example',
  },
  ...{ issued_by_CN: "Let's Encrypt", valid_from: '2026-01-01 00:00:00', valid_till: '2026-04-01 00:00:00' },
  ...{ serial_number: '1', SANs: 'a.example, www.a.example', warnings: [] },
}
const printed = (value: object, own = '') =>
  `PHP Notice: x\n${JSON.stringify([{ ...info, ...value }])}\n\n--own\n${own}`

test('what ssl-info says is read, and what is not there is none', () => {
  const { issuer, names, from, until } = {
    ...{ issuer: "Let's Encrypt", names: ['a.example', 'www.a.example'] },
    ...{ from: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 3, 1) },
  }
  expect(parseSslInfo(printed({}))).toEqual({ kind: 'le', certificate: { issuer, names, from, until }, sha256: null })
  expect(parseSslInfo(printed({ ssl_type: 'self' }, `${sha}  -`))).toMatchObject({ kind: 'custom', sha256: sha })
  expect(parseSslInfo(printed({ ssl_type: 'off' }))).toMatchObject({ kind: null, certificate: null })
  for (const missing of [{ cert_file: undefined }, { valid_till: 'soon' }, { valid_from: null }])
    expect(parseSslInfo(printed(missing)), JSON.stringify(missing)).toMatchObject({ kind: 'le', certificate: null })
})

test('hostile answers are refused or cut', () => {
  for (const text of ['', 'Error: Docker not installed or not running\n--own\n', '[]\n--own\n', '{}\n--own\n'])
    expect(parseSslInfo(text), text).toBeNull()
  expect(parseSslInfo(printed({ ssl_type: 'constructor' }))).toBeNull()
  const many = parseSslInfo(printed({ SANs: Array.from({ length: 1_000 }, (_, at) => `a${at}.example`).join(', ') }))
  expect(many?.certificate?.names).toHaveLength(100)
  const odd = parseSslInfo(
    printed({ SANs: '<script>, *.ok.example, a b', issued_by_CN: `A\u001b[31m${'x'.repeat(500)}` }),
  )
  expect(odd?.certificate?.names).toEqual(['*.ok.example'])
  expect(odd?.certificate?.issuer).toMatch(/^A\[31mx{1,200}$/)
  fc.assert(fc.property(fc.string(), fc.string(), (before, after) => void parseSslInfo(`${before}\n--own\n${after}`)))
})

test('a certificate covers its names and one label of a wildcard', () => {
  expect(coversName(['*.example.com'], 'a.example.com')).toBe(true)
  for (const domain of ['example.com', 'a.b.example.com', 'aexample.com'])
    expect(coversName(['*.example.com'], domain), domain).toBe(false)
  const certificate = { issuer: '', names: ['a.example'], from: 1_000, until: 100 * 86_400_000 }
  const at = (now: number, domain = 'a.example') => certificateState({ kind: 'le', certificate }, domain, now)
  expect([at(0), at(2_000), at(90 * 86_400_000), at(100 * 86_400_000), at(2_000, 'b.example')]).toEqual([
    ...['not_yet_valid', 'valid', 'ends_soon', 'expired', 'other_name'],
  ])
})
