import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deviceName, deviceOf } from './device-name.ts'

const like = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${like} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows', 'Computer'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${like} Chrome/140.0 Safari/537.36 Edg/140.0`,
    'Edge on Windows',
    'Computer',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux', 'Computer'],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`,
    'Safari on macOS',
    'Computer',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1`,
    'Safari on iOS',
    'Phone',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1`,
    'Chrome on iPadOS',
    'Tablet',
  ],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${like} Chrome/140.0 Mobile Safari/537.36`, 'Chrome on Android', 'Phone'],
  [`Mozilla/5.0 (Linux; Android 15; SM-X910) ${like} Chrome/140.0 Safari/537.36`, 'Chrome on Android', 'Tablet'],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${like} Chrome/140.0 Safari/537.36 OPR/120.0`,
    'Opera on ChromeOS',
    'Computer',
  ],
  ['curl/8.14.1', 'curl', 'Program'],
  ['node', 'Node.js', 'Program'],
  [
    `Mozilla/5.0 (Linux; Android 15; SM-S931B) ${like} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
    'Phone',
  ],
  ['Wget/1.25.0', 'Wget', 'Program'],
  ['python-requests/2.32.5', 'Python', 'Program'],
  ['axios/1.13.0', 'Node.js', 'Program'],
  ['', 'Unknown device', null],
  [null, 'Unknown device', null],
  ['<script>alert(1)</script> https://evil.example', 'Unknown device', null],
  ['Confirm at https://evil.example/1 (now) please', 'Unknown device', null],
  ['Confirm at https://evil.example/1 now', 'Unknown device', null],
])('%s is %s', (header, name, kind) => {
  const device = deviceOf(header)
  expect([deviceName(device), device.device]).toEqual([name, kind])
})

test('a long header costs no time', () => {
  expect(deviceName(deviceOf(`Version/${'1'.repeat(200_000)} Safari`))).toBe('Unknown device')
})

test('no header puts words of its own into the name', () => {
  const piece = fc.constantFrom(
    'evil',
    'Chrome/1',
    'Version/1',
    ' ',
    '/',
    '(',
    ')',
    '; ',
    'Windows NT 10',
    'iPad',
    'like',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(deviceName(deviceOf(pieces.join('')))).not.toMatch(/evil|[/(;]/)
    }),
  )
})
