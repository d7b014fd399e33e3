import fc from 'fast-check'
import { Secret } from 'otpauth'
import { expect, test } from 'vitest'
import { totpCode } from '#tests/support/totp.ts'
import { newBase32Secret, otpauthUrl, totpStep } from './totp.ts'

/** The secret used in the tables of RFC 4226 and RFC 6238. */
const secret = Secret.fromLatin1('12345678901234567890').base32

// The RFC prints eight digits; a six-digit code is the last six of them.
test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('RFC 6238: at %i s the code %s is accepted', (seconds, code) => {
  expect(totpStep(secret, code.slice(2), seconds * 1000, 0)).toBe(Math.floor(seconds / 30))
})

test.each([
  [1, '287082'],
  [2, '359152'],
  [3, '969429'],
  [4, '338314'],
  [5, '254676'],
  [6, '287922'],
  [7, '162583'],
  [8, '399871'],
  [9, '520489'],
])('RFC 4226: in step %i the code is %s', (step, code) => {
  expect(totpStep(secret, code, step * 30_000, 0)).toBe(step)
})

test('a new secret is random base32 of the requested length', () => {
  expect(newBase32Secret()).toMatch(/^[A-Z2-7]{32}$/)
  expect(newBase32Secret(10)).toMatch(/^[A-Z2-7]{16}$/)
  expect(newBase32Secret()).not.toBe(newBase32Secret())
})

test('a code is accepted half a minute early and late, and once', () => {
  const now = 1_700_000_010_000
  const step = Math.floor(now / 30_000)
  for (const near of [step - 1, step, step + 1]) expect(totpStep(secret, totpCode(secret, near), now, 0)).toBe(near)
  for (const far of [step - 2, step + 2]) expect(totpStep(secret, totpCode(secret, far), now, 0)).toBeNull()
  expect(totpStep(secret, totpCode(secret, step), now, step)).toBeNull()
  expect(totpStep(secret, totpCode(secret, step - 1), now, step)).toBeNull()
})

test('a code is accepted within one step of its own, and only if it is newer', () => {
  const secrets = fc.uint8Array({ minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(secrets, fc.integer({ min: 2, max: 2 ** 31 }), fc.integer({ min: -3, max: 3 }), (bytes, step, away) => {
      const base32 = new Secret({ buffer: new Uint8Array(bytes).buffer }).base32
      const now = step * 30_000 + 17_000
      const code = totpCode(base32, step + away)
      // Two of three steps share a code once in half a million times; the other step is then a valid result.
      const steps = [step - 1, step, step + 1].filter((one) => totpCode(base32, one) === code)
      const found = totpStep(base32, code, now, 0)
      if (steps.length === 0) expect(found).toBeNull()
      else expect(steps).toContain(found)
      expect(totpStep(base32, code, now, step + 1)).toBeNull()
    }),
  )
})

test('rejects text that is not a code of six digits, and never throws', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^\d{6}$/.test(text))
      expect(totpStep(secret, text, 1_700_000_010_000, 0)).toBeNull()
    }),
  )
  for (const text of ['', '12345', '1234567', 'éééééé', '１２３４５６', '12345\n', '-12345'])
    expect(totpStep(secret, text, 1_700_000_010_000, 0)).toBeNull()
})

test('the key URI for apps names account and installation', () => {
  const url = new URL(otpauthUrl(secret, 'ann+x@example.com', 'Easy: dash & co'))
  expect(url.href).toMatch(/^otpauth:\/\/totp\/Easy%20%20dash%20%26%20co:ann%2Bx%40example.com\?/)
  expect(url.search).not.toContain('+')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    secret,
    issuer: 'Easy  dash & co',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
