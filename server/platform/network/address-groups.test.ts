import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressGroup, addressGroups } from './address-groups.ts'

test('an IPv4 address counts as itself, in every form IPv6 has for it', () => {
  for (const ip of [
    '203.0.113.7',
    '::ffff:203.0.113.7',
    '::ffff:cb00:7107',
    '64:ff9b::203.0.113.7',
    '2002:cb00:7107::1',
    '2002:cb00:7107:ffff::2',
  ])
    expect(addressGroups(ip)).toEqual([{ key: '203.0.113.7', times: 1 }])
})

test('an IPv6 address counts by its /64, and by its /48 with sixteen times the limit', () => {
  expect(addressGroups('2001:DB8:1:2:3:4:5:6')).toEqual([
    { key: '2001:db8:1:2::/64', times: 1 },
    { key: '2001:db8:1::/48', times: 16 },
  ])
  expect(addressGroups('fe80::1%eth0')).toEqual(addressGroups('fe80::2'))
})

test('returns text that is not an address unchanged', () => {
  expect(addressGroups('')).toEqual([{ key: '', times: 1 }])
  expect(addressGroup('unix socket')).toBe('unix socket')
})

const group16 = fc.integer({ min: 0x2003, max: 0x3fff })
const groups = fc.tuple(...Array.from({ length: 8 }, () => group16))
const text = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':')

test('the last 64 bits do not change the group; another /64 is another group', () => {
  fc.assert(
    fc.property(groups, groups, (one, other) => {
      const sameNetwork = [...one.slice(0, 4), ...other.slice(4)]
      expect(addressGroups(text(sameNetwork))).toEqual(addressGroups(text(one)))
      const isSame = text(one.slice(0, 4)) === text(other.slice(0, 4))
      expect(addressGroup(text(one)) === addressGroup(text(other))).toBe(isSame)
    }),
  )
})
