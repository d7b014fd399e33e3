import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyDoc } from '#shared/doctype.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { Field } from '#shared/fields.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { assertPublicAddresses, type AddressConfig } from './server-addresses.ts'

const doc = (values: Record<string, unknown>) => ({ engine_host: null, hostname: null, ...values }) as unknown as AnyDoc

/** Whether an address can be stored: checks its format and the rule. */
function isTaken(field: string, value: string, config: AddressConfig = {}, before: AnyDoc | null = null): boolean {
  const { format }: Field = ServerDoctype.fields[field as keyof typeof ServerDoctype.fields]
  if (format && checkFormat(format, value) !== null) return false
  try {
    assertPublicAddresses(doc({ [field]: value }), before, config)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid', field })
    return false
  }
}

const v4Fields = ['public_ipv4', 'private_ipv4', 'public_ipv4_server_import', 'floating_ip']
const v6Fields = ['public_ipv6', 'private_ipv6', 'floating_ip']

test('every field of a server that holds an address is one of these', () => {
  const names = Object.keys(ServerDoctype.fields).filter((name) => /ip(?:v4|v6|$)|address/.test(name))
  expect(names.toSorted()).toEqual([...new Set([...v4Fields, ...v6Fields])].toSorted())
})

const inner4 = [
  ...['0.0.0.0', '127.0.0.1', '127.255.255.254', '10.0.0.5', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '169.254.0.1', '100.64.0.1', '192.0.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
]
const ipv4Spellings = [
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '１２７.0.0.1',
]
const inner6 = [
  ...['::', '::1', 'fe80::1', 'fd00::1', 'fc00::1', 'fec0::1', 'ff02::1', 'fe80::1%eth0', 'fd00:ec2::254'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:10.0.0.1'],
  ...['64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '2002:7f00:1::', '2002:808:808::1'],
  ...['2001:0:4136:e378:8000:63bf:f5ff:fffe', '2001::1', '2606:4700::5efe:10.0.0.1', '2606:4700::5efe:8.8.8.8'],
]
const outer4 = ['8.8.8.8', '93.184.216.34', '203.0.113.5', '192.0.2.7', '198.51.100.1']
const outer6 = ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:db8::5']

describe('addresses inside machine and network are refused, in every form', () => {
  test.each(v4Fields)('%s', (field) => {
    for (const ip of [...inner4, ...ipv4Spellings]) expect([ip, isTaken(field, ip)]).toEqual([ip, false])
    for (const ip of outer4) expect([ip, isTaken(field, ip)]).toEqual([ip, true])
  })
  test.each(v6Fields)('%s', (field) => {
    for (const ip of inner6) expect([ip, isTaken(field, ip)]).toEqual([ip, false])
    for (const ip of outer6) expect([ip, isTaken(field, ip)]).toEqual([ip, true])
  })
  test('a field holds addresses of its own family only', () => {
    for (const field of ['public_ipv4', 'private_ipv4', 'public_ipv4_server_import'])
      for (const ip of outer6) expect(isTaken(field, ip)).toBe(false)
    for (const field of ['public_ipv6', 'private_ipv6']) for (const ip of outer4) expect(isTaken(field, ip)).toBe(false)
  })
})

test('IPv6 addresses that embed an internal IPv4 address are refused', () => {
  const byte = fc.nat({ max: 255 })
  const forms = fc.constantFrom(
    (ip: string, high: string, low: string) => `::ffff:${ip}|${high}${low}`.split('|')[0] as string,
    (_ip: string, high: string, low: string) => `::ffff:${high}:${low}`,
    (_ip: string, high: string, low: string) => `64:ff9b::${high}:${low}`,
    (_ip: string, high: string, low: string) => `2002:${high}:${low}::1`,
    (_ip: string, high: string, low: string) => `2001:0:${high}:${low}::1`,
    (_ip: string, high: string, low: string) => `2606:4700::200:5efe:${high}:${low}`,
  )
  fc.assert(
    fc.property(byte, byte, byte, byte, forms, (a, b, c, d, form) => {
      const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
      expect(isTaken('public_ipv6', form(`${a}.${b}.${c}.${d}`, high, low))).toBe(false)
    }),
  )
})

describe('the operator’s settings', () => {
  test('allowed private ranges can be stored, in their own form only', () => {
    const config = { allowPrivateCidrs: ['10.0.0.0/8', 'fd00::/8'] }
    expect(isTaken('public_ipv4', '10.1.2.3', config)).toBe(true)
    expect(isTaken('private_ipv6', 'fd00::1', config)).toBe(true)
    expect(isTaken('public_ipv4', '192.168.0.1', config)).toBe(false)
    expect(isTaken('public_ipv6', '::ffff:10.1.2.3', config)).toBe(false)
  })
  test('mapped addresses are allowed', () => {
    expect(isTaken('public_ipv4', '10.9.9.9', { addressMap: { '10.9.9.9:22': '127.0.0.1:2222' } })).toBe(true)
  })
})

test('a stored address does not block other changes', () => {
  expect(isTaken('public_ipv4', '10.0.0.1', {}, doc({ public_ipv4: '10.0.0.1' }))).toBe(true)
})

test.each(['localhost', 'db.localhost', 'metadata.google.internal', 'nas.local', 'router.home.arpa'])(
  'the host name %s is one of the network',
  (hostname) => {
    expect(isTaken('hostname', hostname)).toBe(false)
    expect(isTaken('hostname', hostname, { allowPrivateCidrs: ['10.0.0.0/8'] })).toBe(true)
    expect(isTaken('hostname', `${hostname}.example.com`)).toBe(true)
    // The hostname of this machine itself is always accepted.
    expect(() => assertPublicAddresses(doc({ hostname, engine_host: 'local:this' }), null)).not.toThrow()
  },
)
