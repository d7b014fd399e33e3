import { expect, test } from 'vitest'
import type { RemoteFacts } from '../remote/remote-facts.ts'
import { unsuitable } from './setup-steps.ts'

const gib = 1024 ** 3
const facts: RemoteFacts = {
  ...{ hostname: 'web-1', os: 'Ubuntu 24.04.3 LTS', osId: 'ubuntu', osVersion: '24.04', kernel: '6.8', processor: 'x' },
  ...{ cpu: 1, ram: gib, disk: 20 * gib, diskFree: 10 * gib, totalSwap: 0, timezone: 'Etc/UTC', uptimeSeconds: 60 },
  ...{ sudo: true, docker: null, dockerCompose: null, python: '3.12.3', easyengine: null, facts: {} },
  ...{ pendingUpdates: null, securityUpdates: null, takenPorts: [] },
}

test.each<[string, Partial<RemoteFacts>]>([
  ['a new Ubuntu', {}],
  ['the oldest Ubuntu', { osVersion: '22.04' }],
  ['the oldest Debian', { os: 'Debian GNU/Linux 12 (bookworm)', osId: 'debian', osVersion: '12' }],
  ['the least memory that machines of 1 GB have', { ram: 0.9 * gib }],
  ['the least free disk', { diskFree: 6 * gib }],
  ['the ports of its own EasyEngine', { easyengine: '4.10.2', takenPorts: [80, 443] }],
])('a machine becomes a server: %s', (_name, more) => {
  expect(unsuitable({ ...facts, ...more })).toBeNull()
})

const needed = 'EasyEngine needs Ubuntu 22.04 or newer, or Debian 12 or newer.'
test.each<[string, Partial<RemoteFacts>]>([
  [`It runs Ubuntu 20.04.6 LTS. ${needed}`, { os: 'Ubuntu 20.04.6 LTS', osVersion: '20.04' }],
  [
    `It runs Debian GNU/Linux 11 (bullseye). ${needed}`,
    { os: 'Debian GNU/Linux 11 (bullseye)', osId: 'debian', osVersion: '11' },
  ],
  [`It runs Alpine Linux v3.20. ${needed}`, { os: 'Alpine Linux v3.20', osId: 'alpine', osVersion: '3.20.3' }],
  [`It runs Fedora Linux 42. ${needed}`, { os: 'Fedora Linux 42', osId: 'fedora', osVersion: '42' }],
  // Debian's next version has no number yet.
  [
    `It runs Debian GNU/Linux forky/sid. ${needed}`,
    { os: 'Debian GNU/Linux forky/sid', osId: 'debian', osVersion: '' },
  ],
  ['The user cannot become root. Allow sudo without a password, or use root.', { sudo: false }],
  ['It has too little memory. 1 GB is the least.', { ram: 0.9 * gib - 1 }],
  ['It has too little free disk space. 6 GB are the least.', { diskFree: 6 * gib - 1 }],
  ['Another program uses port 80. Stop it, then retry.', { takenPorts: [80] }],
  ['Another program uses port 443. Stop it, then retry.', { takenPorts: [443] }],
])('a machine is refused: %s', (message, more) => {
  expect(unsuitable({ ...facts, ...more })?.text).toBe(message)
})
