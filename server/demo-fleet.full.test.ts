import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { MetricsSample } from '#shared/responses/server-metrics.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { demoFleet } from './demo-fleet.ts'
import { metricsTables } from './features/metrics/metrics-tables.ts'
import { readMetrics } from './features/metrics/read-metrics.ts'

const size = { sites: 40, servers: 12, members: 5 }
let s: OrganizationFixture
beforeAll(async () => {
  s = await createOrganizationFixture()
  await s.documents.transaction(s.system, ({ trx }) => metricsTables(trx))
  await s.owner('owner@fleet.example', 'fleet')
  await demoFleet(s, 'owner@fleet.example', size)
})
afterAll(() => s?.close())

test('has the size that was asked for, and each server seven days of metrics, the last of which its columns show', async () => {
  const [servers, sites] = await s.documents.transaction(s.system, (tx) =>
    Promise.all([tx.list(ServerDoctype, []), tx.count(SiteDoctype, [])]),
  )
  expect([servers.length, sites]).toEqual([size.servers, size.sites])
  for (const server of servers) {
    const { samples } = await s.documents.transaction(s.system, (tx) => readMetrics(tx, server, '7d', Date.now()))
    const present = samples.filter((sample): sample is MetricsSample => sample.missing === 0)
    // Without half an hour in which it was away, and slots that began since.
    expect(present.length).toBeGreaterThanOrEqual(2008)
    const last = present.at(-1) ?? expect.fail('No samples')
    expect(server.cpu_percent).toBeCloseTo(last.cpu.total, 1)
    expect(server.memory_percent).toBeCloseTo(last.memory.percent, 1)
    expect(server.disk_percent).toBeCloseTo(last.disk.percent, 1)
    expect(server.load_1).toBeCloseTo(last.load.m1, 1)
    expect(server.metrics_at?.slice(0, 19)).toBe(
      new Date(last.timestamp * 1000).toISOString().slice(0, 19).replace('T', ' '),
    )
    expect([last.memory.total, last.disk.total]).toEqual([server.ram, server.disk])
    // A backup takes up to 3% while it runs.
    expect(Math.abs(last.disk.free - (server.disk_free ?? 0))).toBeLessThan(0.04 * last.disk.total)
  }
  const isFull = (server: Server) => Number(server.disk_percent) > 90
  expect(servers.filter(isFull)).toEqual(servers.filter(({ status }) => status === 'Degraded'))
  expect(servers.some(isFull)).toBe(true)
})
