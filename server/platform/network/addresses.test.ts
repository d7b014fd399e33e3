import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cidrMatcher, isCidr, isPublicUnicast, unmapIpv4 } from './addresses.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '223.255.255.255',
  '192.167.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('%s is public', (ip) => expect(isPublicUnicast(ip)).toBe(true))

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.1.1.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '::127.0.0.1',
  '::8.8.8.8',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:f5ff:fffe',
  '2001:2::1',
  '2001:10::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:0a00:0001::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2606:4700::5efe:10.0.0.1',
  '2606:4700::200:5efe:a00:1',
  '',
  'localhost',
  '127.1',
  '8.8.2056',
  '134744072',
  '0x8.8.8.8',
  '010.8.8.8',
  '::ffff:0x8.8.8.8',
  '::ffff:010.8.8.8',
  '192.175.48.1',
  '192.52.193.1',
  '2620:4f:8000::1',
  '[::1]',
  '1.1.1.1 ',
  '8.8.8.8/8',
])('%s is not public', (ip) => expect(isPublicUnicast(ip)).toBe(false))

const byte = fc.integer({ min: 0, max: 255 })
const v4 = fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.'))
const privateV4 = fc.oneof(
  fc.tuple(byte, byte, byte).map(([b, c, d]) => `10.${b}.${c}.${d}`),
  fc.tuple(byte, byte, byte).map(([b, c, d]) => `127.${b}.${c}.${d}`),
  fc.tuple(byte, byte).map(([c, d]) => `192.168.${c}.${d}`),
  fc.tuple(fc.integer({ min: 16, max: 31 }), byte, byte).map(([b, c, d]) => `172.${b}.${c}.${d}`),
  fc.tuple(byte, byte).map(([c, d]) => `169.254.${c}.${d}`),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte).map((parts) => parts.join('.')),
)
const hex = (ip: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)] as const
}

test('no disguise makes a private IPv4 address public', () => {
  fc.assert(
    fc.property(privateV4, fc.integer({ min: 0, max: 0xffff }), (ip, any) => {
      const [high, low] = hex(ip)
      const flipped = [high, low].map((group) => (Number.parseInt(group, 16) ^ 0xffff).toString(16)).join(':')
      const encodedForms = [
        ip,
        `::ffff:${ip}`,
        `::FFFF:${high}:${low}`,
        `0:0:0:0:0:ffff:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `::${high}:${low}`,
        `2002:${high}:${low}::${any.toString(16)}`,
        `2001:0:808:808:0:${any.toString(16)}:${flipped}`,
        `2001:0:${high}:${low}:0:0:f7f7:f7f7`,
        `2606:4700::5efe:${high}:${low}`,
      ]
      for (const text of encodedForms) expect(isPublicUnicast(text), text).toBe(false)
    }),
  )
})

test('treats an IPv4 address and its mapped form alike, in any spelling', () => {
  fc.assert(
    fc.property(v4, (ip) => {
      const [high, low] = hex(ip)
      const judged = isPublicUnicast(ip)
      expect(isPublicUnicast(`::ffff:${ip}`)).toBe(judged)
      expect(isPublicUnicast(`::ffff:${high}:${low}`)).toBe(judged)
      expect(unmapIpv4(`::ffff:${high}:${low}`)).toBe(ip)
    }),
  )
})

test('only 2000::/3 and the forms that carry IPv4 can be public', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
      const text = groups.map((group) => group.toString(16)).join(':')
      const first = groups[0] ?? 0
      if (isPublicUnicast(text)) expect(first >> 13 === 1 || first === 0x64 || first === 0).toBe(true)
      else
        expect(
          first >> 13 === 1 && first !== 0x2001 && first !== 0x2002 && first !== 0x3fff && groups[5] !== 0x5efe,
        ).toBe(false)
    }),
    { numRuns: 500 },
  )
})

test('any text is answered and never throws', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typeof isPublicUnicast(text)).toBe('boolean')
    }),
  )
})

test('ranges match addresses in every spelling', () => {
  const match = cidrMatcher(['10.0.0.0/8', 'fd00::/8', '192.168.7.7'])
  expect(['10.2.3.4', '::ffff:10.2.3.4', '::ffff:a02:304', 'fd12::1', '192.168.7.7'].map(match)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ])
  expect(['11.0.0.1', 'fe80::1', '192.168.7.8', 'nonsense', ''].map(match)).toEqual([false, false, false, false, false])
  expect(() => cidrMatcher(['10.0.0.0/33'])).toThrow(TypeError)
  expect(
    ['10.0.0.0/8', '::/0', '1.2.3.4', '10.0.0.0/33', '10.0.0/8', 'x', '1.2.3.4/8/9', '1.2.3.4/'].map(isCidr),
  ).toEqual([true, true, true, false, false, false, false, false])
})
