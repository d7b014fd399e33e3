import { expect, test } from 'vitest'
import { sentSample } from '#shared/responses/server-metrics.ts'
import { demoSamples } from './demo-metrics.ts'

const machine = { hostname: 'web-1.acme.example', cpu: 2, ram: 4e9, disk: 8e10, total_swap: 2e9 }
const now = 1_800_000_000

test('the demo has seven days of possible samples with one gap, the same each time, others for another server', () => {
  const samples = demoSamples(machine, now)
  expect(samples).toHaveLength(2010)
  expect(samples.map((one) => sentSample.parse(one))).toEqual(samples)
  expect(demoSamples(machine, now)).toEqual(samples)
  const steps = samples.slice(1).map(({ timestamp }, at) => timestamp - (samples[at]?.timestamp ?? 0))
  expect(steps.filter((step) => step !== 300)).toEqual([2100])
  for (const counter of ['rx_bytes', 'tx_bytes', 'rx_packets', 'tx_packets'] as const)
    expect(samples.every(({ network }, at) => at === 0 || network[counter] > samples[at - 1]!.network[counter])).toBe(
      true,
    )
  const cpu = samples.map(({ cpu: { total } }) => total)
  expect([Math.min(...cpu) < 10, Math.max(...cpu) > 40]).toEqual([true, true])
  expect(demoSamples({ ...machine, hostname: 'web-2.acme.example' }, now)).not.toEqual(samples)
  expect(demoSamples({ ...machine, disk_free: 6e10 }, now).at(-1)?.disk.percent).toBeCloseTo(25, 0)
  expect(demoSamples({ hostname: 'x', cpu: null, ram: null, disk: null, total_swap: null }, now)).toHaveLength(2010)
})
