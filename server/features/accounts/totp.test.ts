import { expect, test } from 'vitest'
import { base32, newTotpSecret, otpauthUrl, totpCode, totpStep } from './totp.ts'

/** The secret of the tables in RFC 4226 and RFC 6238. */
const secret = base32(Buffer.from('12345678901234567890'))

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('RFC 6238: at %i s the code is %s', (seconds, code) => {
  expect(totpCode(secret, Math.floor(seconds / 30), 8)).toBe(code)
})

test.each(['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'])(
  'RFC 4226: a counter gives %s',
  (code) => {
    const counters = Array.from({ length: 10 }, (_none, at) => totpCode(secret, at))
    expect(counters).toContain(code)
  },
)

test('base32 is that of RFC 4648', () => {
  expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
    '',
    'MY',
    'MZXQ',
    'MZXW6',
    'MZXW6YQ',
    'MZXW6YTB',
    'MZXW6YTBOI',
  ])
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
})

test('a code counts half a minute early and late, and once', () => {
  const now = 1_700_000_010_000
  const step = Math.floor(now / 30_000)
  for (const near of [step - 1, step, step + 1]) expect(totpStep(secret, totpCode(secret, near), now, 0)).toBe(near)
  for (const far of [step - 2, step + 2]) expect(totpStep(secret, totpCode(secret, far), now, 0)).toBeNull()
  expect(totpStep(secret, totpCode(secret, step), now, step)).toBeNull()
  expect(totpStep(secret, totpCode(secret, step - 1), now, step)).toBeNull()
  expect(totpStep(secret, '', now, 0)).toBeNull()
})

test('the address for apps names account and installation', () => {
  expect(otpauthUrl('ABC', 'ann+x@example.com', 'Easy: dash & co')).toBe(
    'otpauth://totp/Easy%20%20dash%20%26%20co:ann%2Bx%40example.com?secret=ABC&issuer=Easy%20%20dash%20%26%20co&algorithm=SHA1&digits=6&period=30',
  )
})
