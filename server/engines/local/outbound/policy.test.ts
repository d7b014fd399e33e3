import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isAllowed } from './policy.ts'

const interfaceOf = (address: string) => ({ address }) as os.NetworkInterfaceInfo

beforeAll(() => {
  vi.spyOn(os, 'networkInterfaces').mockReturnValue({
    lo: ['127.0.0.1', '::1'].map(interfaceOf),
    eth0: ['5.9.1.2', '2a01:4f8:1:2::5', 'fe80::1'].map(interfaceOf),
    none: undefined,
  })
  // Named imports of Node's modules follow the module only when told to.
  syncBuiltinESMExports()
})
afterAll(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

test.each([
  '5.9.1.2',
  '::ffff:5.9.1.2',
  '2a01:4f8:1:2::5',
  '2A01:4F8:1:2::5',
  '2a01:04f8:0001:0002:0000:0000:0000:0005',
  '2a01:4f8:1:2:0:0:0.0.0.5',
])('of this machine only the web ports are open, however its address is spelled: %s', (ip) => {
  expect([5432, 8080, 22].map((port) => isAllowed(ip, port))).toEqual([false, false, false])
})

test('other machines are open', () => {
  expect(['5.9.1.3', '2a01:4f8:1:2::6'].map((ip) => isAllowed(ip, 8080))).toEqual([true, true])
  expect(isAllowed('2a01:4f8:1:2::5', 443)).toBe(true)
})

test('mail servers are out of reach, wherever they are', () => {
  expect([25, 465, 587, 2525].map((port) => isAllowed('93.184.215.14', port))).toEqual([false, false, false, false])
  expect([80, 443, 993, 6379].map((port) => isAllowed('93.184.215.14', port))).toEqual([true, true, true, true])
})
