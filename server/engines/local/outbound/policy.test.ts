import type * as Os from 'node:os'
import { expect, test, vi } from 'vitest'
import { isAllowed } from './policy.ts'

vi.mock('node:os', async (original) => ({
  ...(await original<typeof Os>()),
  networkInterfaces: () => ({
    lo: [{ address: '127.0.0.1' }, { address: '::1' }],
    eth0: [{ address: '5.9.1.2' }, { address: '2a01:4f8:1:2::5' }, { address: 'fe80::1' }],
    none: undefined,
  }),
}))

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
