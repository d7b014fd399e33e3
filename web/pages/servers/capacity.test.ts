import { expect, it } from 'vitest'
import { meterTone } from '#web/ui/meter.tsx'
import { diskFraction, diskUsage } from './capacity.tsx'

it('shows disk usage, and nothing if it was not measured', () => {
  expect(diskFraction({ disk: 100, disk_free: 25 })).toBe(0.75)
  expect([
    diskFraction({ disk: 100, disk_free: null }),
    diskFraction({ disk: 0, disk_free: 0 }),
    diskFraction({}),
  ]).toEqual([null, null, null])
  expect(diskFraction({ disk: 100, disk_free: 120 })).toBe(0)
})

it('says the same of the disk everywhere: the newest sample, else the last measurement', () => {
  const measured = { disk: 100, disk_free: 25 }
  expect([diskUsage({ ...measured, disk_percent: 72 }), diskUsage(measured), diskUsage({})]).toEqual([0.72, 0.75, null])
})

it('warns from 80 percent and is critical from 95', () => {
  expect([0.79, 0.8, 0.949, 0.95].map(meterTone)).toEqual(['quiet', 'warn', 'warn', 'bad'])
})
