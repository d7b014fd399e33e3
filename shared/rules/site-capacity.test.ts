import { expect, test } from 'vitest'
import { sitesThatFit } from './site-capacity.ts'

const gigabytes = (count: number) => count * 1024 ** 3

test.each([
  ['the memory decides', 4, 40, 12],
  ['the disk decides', 16, 40, 20],
  ['a small machine has room for one', 1, 20, 1],
  ['less memory than the system needs', 0.5, 20, 1],
  ['a disk for less than one site', 8, 1, 1],
])('%s: %d GB of memory and a disk of %d GB', (_why, ram, disk, sites) => {
  expect(sitesThatFit({ ram: gigabytes(ram), disk: gigabytes(disk) })).toBe(sites)
})
