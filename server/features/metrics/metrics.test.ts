import * as fc from 'fast-check'
import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { createMachineTokens } from '#server/features/accounts/sessions/machine-tokens.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { createRateLimiter } from '#server/platform/rate-limit.ts'
import { defaultRateLimits } from '#server/platform/rate-limits.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { SentSample, ServerMetrics } from '#shared/responses/server-metrics.ts'
import { metricRangeKeys, metricRanges } from '#shared/rules/metric-ranges.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { makeOrganization, startTestProcess, type TestProcess } from '#tests/support/jobs.ts'
import { rejectionOf } from '#tests/support/sites.ts'
import { createServerMetrics, type MetricsFeature } from './server-metrics.ts'
import { storeSamples } from './store-samples.ts'

let database: TestDatabase
let running: TestProcess
let feature: MetricsFeature
let folder: string
let owner: Session
const limits = { ...defaultRateLimits, metrics_server: { limit: 25, seconds: 3600 } }
const slot = 300
const day = 86_400
/** Seconds since 1970: noon, so that all of a test is on one day. */
const noon = Math.floor(Date.now() / 1000 / day) * day + day / 2
let now = noon

beforeAll(async () => {
  database = await createProductDatabase()
  folder = await mkdtemp(join(tmpdir(), 'easydash-metrics-'))
  const engine = createFakeEngine({ folder })
  const { db } = database.database
  running = await startTestProcess(database.database, {
    start: false,
    features: ({ documents }) => {
      feature = createServerMetrics({
        documents,
        engines: { fake: engine },
        machineTokens: createMachineTokens(db),
        url: 'http://localhost:8080',
        rateLimiter: createRateLimiter({ database: { db }, limits, now: () => now * 1000 }),
        clock: { now: () => now * 1000, setTimeout: () => null, clearTimeout: () => undefined },
      })
      return { controllers: feature.controllers ?? [] }
    },
  })
  owner = await makeOrganization(running.documents, 'acme')
  await makeOrganization(running.documents, 'globex')
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const system = <T>(work: Parameters<TestProcess['documents']['transaction']>[1]) =>
  running.documents.transaction(systemSession(), work) as Promise<T>
let servers = 0
const addServer = (values: Partial<Server> = {}) =>
  system<Server>((tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: `web-${(servers += 1)}.acme.test`,
      status: 'Healthy',
      ...values,
    }),
  )
const serverNow = (name: string) => system<Server>((tx) => tx.get(ServerDoctype, name))
const act = (server: string, action: string, args = {}) =>
  running.documents.runAction(owner, 'Server', server, action, args)
const makeToken = async (server: string) => ((await act(server, 'make_metrics_token')) as { token: string }).token
const metrics = async (server: string, range: string) =>
  (await act(server, 'get_metrics', { range })) as unknown as ServerMetrics
const present = ({ samples }: ServerMetrics) => samples.flatMap((one) => (one.missing ? [] : [one]))
const send = async (body: unknown, token?: string) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const content = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const response = await feature.routes?.[0]?.run({ headers, body: content, params: {}, query: '', ip: '192.0.2.1' })
  return JSON.parse(String(response?.body)).message as { stored: number; ignored: number }
}
const run = (name: string) =>
  [...(feature.schedules ?? []), ...(feature.sweeps ?? [])]
    .flatMap((one) => ('run' in one && one.name.startsWith(name) ? [one] : []))[0]
    ?.run()

const usage = { total: 8e9, used: 2e9, free: 1e9, percent: 25 }
const sampleAt = (timestamp: number, values: Partial<SentSample> = {}): SentSample => ({
  timestamp,
  primary_interface: 'eth0',
  load: { m1: 0.5, m5: 0.25, m15: 0.125 },
  uptime: timestamp - noon + 30 * day,
  cpu: { user: 10, system: 5, idle: 85, total: 15 },
  memory: usage,
  disk: { ...usage, percent: 75 },
  swap: { total: 0, used: 0, free: 0, percent: 0 },
  network: {
    ...{ rx_bytes: 2 ** 52, tx_bytes: 1, rx_packets: 2, tx_packets: 3 },
    ...{ rx_errors: 4, tx_errors: 5, rx_dropped: 6, tx_dropped: 7 },
  },
  ...values,
})

test('what an agent sends is returned as it was sent, and the newest sample shows on the server', async () => {
  const { name, hostname, modified } = await addServer()
  const token = await makeToken(name)
  const sample = sampleAt(now + 10, { cpu: { user: 12.34, system: 0.5, idle: 87.16, total: 12.84 } })
  expect(await send({ ...sample, instance: hostname.toUpperCase(), missing: 0 }, token)).toEqual({
    stored: 1,
    ignored: 0,
  })
  expect(await send([sampleAt(now - slot), sampleAt(now - 2 * slot)], token)).toEqual({ stored: 2, ignored: 0 })
  const found = await metrics(name, '1h')
  expect(found.samples.at(-1)).toEqual({ ...sample, instance: hostname, missing: 0 })
  expect(found.samples.map(({ missing }) => missing)).toEqual([...Array(9).fill(1), 0, 0, 0])
  expect(await serverNow(name)).toMatchObject({
    ...{ cpu_percent: 12.84, memory_percent: 25, disk_percent: 75, load_1: 0.5, modified },
    metrics_at: new Date((now + 10) * 1000).toISOString().replace('T', ' ').replace('Z', '000'),
  })
})

test('samples are taken with the current token of their own server only, and only if every value can be one', async () => {
  const [{ name }, other] = [await addServer(), await addServer()]
  const former = await makeToken(name)
  const token = await makeToken(name)
  const refused = (body: unknown, given?: string) => rejectionOf(send(body, given))
  const sample = sampleAt(now)
  const swapped = (await makeToken(other.name)).replace(other.name, name)
  for (const wrong of [undefined, '', 'x', former, `${token}x`, swapped, token.slice(name.length + 1)])
    expect(await refused(sample, wrong)).toMatchObject({ code: 'unauthorized' })
  for (const instance of [other.name, other.hostname, 'elsewhere.example'])
    expect(await refused([sample, { ...sample, instance }], token)).toMatchObject({
      code: 'forbidden',
      field: 'instance',
    })

  const invalid: [unknown, string?][] = [
    ['{"timestamp":'],
    [null],
    ['"text"'],
    [Array.from({ length: 2017 }, () => sample)],
    [{}, 'timestamp'],
    [{ ...sample, timestamp: now + 0.5 }, 'timestamp'],
    [{ ...sample, missing: 1 }, 'missing'],
    [{ ...sample, primary_interface: 'eth0\u0000' }, 'primary_interface'],
    [{ ...sample, cpu: { ...sample.cpu, total: 100.1 } }, 'cpu.total'],
    [{ ...sample, memory: { ...usage, free: -1 } }, 'memory.free'],
    [{ ...sample, swap: { total: 1 } }, 'swap.used'],
    [[sample, { ...sample, uptime: '7' }], '1.uptime'],
    [JSON.stringify(sample).replace('"m1":0.5', '"m1":1e999'), 'load.m1'],
  ]
  for (const [body, field] of invalid) expect(await refused(body, token)).toMatchObject({ code: 'invalid', field })

  const untimely = [sampleAt(now + 301), sampleAt(now - 7 * day - 1)]
  const twice = [sampleAt(now - 1, { uptime: 1 }), sampleAt(now - 2, { uptime: 2 })]
  expect(await send([...untimely, ...twice, sampleAt(now - 7 * day), sampleAt(now + slot)], token)).toEqual({
    stored: 3,
    ignored: 3,
  })
  expect(await send(sampleAt(now - 3, { uptime: 3 }), token)).toEqual({ stored: 0, ignored: 1 })
  expect(present(await metrics(name, '7d')).map(({ uptime }) => uptime)).toEqual([1])
  const count = () => refused(sample, token)
  let last = await count()
  for (let n = 0; n < limits.metrics_server.limit && last === null; n += 1) last = await count()
  expect(last).toMatchObject({ code: 'rate_limited' })
})

test('a range has one entry for each of its slots, oldest first, and says where a sample is missing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...metricRangeKeys),
      fc.integer({ min: 0, max: slot - 1 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 2016 }), { maxLength: 30 }),
      fc.integer({ min: 0, max: slot - 1 }),
      async (range, offset, back, within) => {
        now = noon + offset
        const { name } = await addServer()
        const starts = back.map((slots) => noon - slots * slot)
        await system((tx) =>
          storeSamples(
            tx,
            [name],
            starts.map((start) => sampleAt(start + within)),
          ),
        )
        const { samples } = await metrics(name, range)
        const first = noon - (metricRanges[range] - 1) * slot
        expect(samples).toHaveLength(metricRanges[range])
        for (const [at, { timestamp, missing }] of samples.entries()) {
          const start = first + at * slot
          expect([timestamp, missing]).toEqual(starts.includes(start) ? [start + within, 0] : [start, 1])
        }
      },
    ),
    { numRuns: 12 },
  )
  now = noon
})

test('a server that cannot send is asked, and what it answers is trusted as little', async () => {
  const { name } = await addServer()
  const answer = (sample: unknown) => feature.pull(name, async () => JSON.stringify(sample))
  expect(feature.areSent).toBe(false)
  for (const wrong of [{}, sampleAt(now, { uptime: -1 }), sampleAt(now, { instance: 'elsewhere.example' })])
    expect(await rejectionOf(answer(wrong))).not.toBeNull()
  expect(present(await metrics(name, '7d'))).toEqual([])
  // The clock of the server is wrong.
  await answer(sampleAt(now - day))
  expect(present(await metrics(name, '7d'))).toMatchObject([{ timestamp: now }])
})

test('a server costs what its hours cost, up to a month, and is too big if it was idle for a week', async () => {
  const priced = { provider_id: '42', price_hourly: '0.01', price_monthly: '4.50', price_currency: 'EUR' }
  const { name } = await addServer(priced)
  const start = new Date(noon * 1000)
  const month = Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), 1) / 1000
  const created = (seconds: number) =>
    sql`update tab_server set creation = ${formatTimestamp(seconds * 1000)} where name = ${name}`.execute(
      database.database.db,
    )
  const costs = () => act(name, 'get_costs')
  now = month + 20 * day
  await created(now - 90 * 60)
  expect(await costs()).toEqual({ this_month: 0.02, currency: 'EUR', oversized: false })
  await created(month - 40 * day)
  expect(await costs()).toMatchObject({ this_month: 4.5 })
  now = month + day
  expect(await costs()).toMatchObject({ this_month: 0.24 })

  now = noon
  const idle = (total: number) => ({ cpu: { user: total, system: 0, idle: 100 - total, total } })
  const week = Array.from({ length: 2016 }, (_, n) => sampleAt(now - n * slot, idle(n % 25 === 0 ? 90 : 9)))
  await system((tx) => storeSamples(tx, [name], week.slice(0, 1500)))
  expect(await costs()).toMatchObject({ oversized: false })
  await system((tx) => storeSamples(tx, [name], week))
  expect(await costs()).toMatchObject({ oversized: true })
  expect(await act((await addServer()).name, 'get_costs')).toMatchObject({ this_month: null, oversized: false })
})

test('this machine is sampled for its row in every organization, once in each slot', async () => {
  const rows = [
    await addServer({ engine_host: 'fake:this' }),
    await addServer({ organization: 'globex', engine_host: 'fake:this' }),
  ]
  const elsewhere = await addServer({ engine_host: 'fake:other' })
  await run('servers.sample')
  now += 1
  await run('servers.sample')
  for (const { name, modified } of rows) {
    const row = await serverNow(name)
    expect(row.modified).toBe(modified)
    expect(row.memory_percent).toBeGreaterThan(0)
    expect(row.disk_percent).toBeGreaterThanOrEqual(0)
  }
  const [sample, ...more] = present(await metrics(rows[0]?.name ?? '', '1h'))
  expect([sample?.timestamp, more]).toEqual([noon, []])
  expect(sample?.memory.total).toBeGreaterThan(0)
  expect((await serverNow(elsewhere.name)).metrics_at).toBeNull()
  now = noon
})

test('samples become averages of hours after eight days, those of days after ninety, which end after two years', async () => {
  const { db } = database.database as unknown as { db: Db }
  const [{ name }, removed] = [await addServer(), await addServer()]
  const cpu = (total: number) => ({ cpu: { user: total, system: 0, idle: 100 - total, total } })
  const old = noon - 7 * day
  await system((tx) =>
    storeSamples(
      tx,
      [name, removed.name],
      [
        sampleAt(old, { ...cpu(10), uptime: 5 }),
        sampleAt(old + slot, { ...cpu(20), uptime: 6 }),
        sampleAt(old + 3600, cpu(90)),
        sampleAt(noon, cpu(50)),
      ],
    ),
  )
  await system((tx) => tx.delete(ServerDoctype, removed.name))
  const rowsOf = async (period: string) =>
    (
      await sql<object>`select at, samples, cpu_total, uptime from ${sql.id(`easydash_server_metrics_${period}`)}
        where server = ${name} order by at`.execute(db)
    ).rows
  const partitionCount = async () =>
    (await sql`select 1 from pg_inherits where inhparent = 'easydash_server_sample'::regclass`.execute(db)).rows.length
  const before = await partitionCount()
  const pass = async (days: number) => {
    now = noon + days * day
    await run('servers.metrics')
  }
  await pass(1)
  expect(await rowsOf('hourly')).toEqual([])
  await pass(2)
  const stamp = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
  expect(await rowsOf('hourly')).toMatchObject([
    { at: expect.stringContaining(stamp(old)), samples: 2, cpu_total: 15, uptime: 6 },
    { at: expect.stringContaining(stamp(old + 3600)), samples: 1, cpu_total: 90 },
  ])
  expect(await partitionCount()).toBe(before)
  // Samples of the last days are still there, and stored with those of the next ones.
  expect(present(await metrics(name, '7d')).map(({ cpu: { total } }) => total)).toEqual([50])
  const averages = async (range: string) => present(await metrics(name, range)).map(({ cpu: { total } }) => total)
  expect(await averages('30d')).toEqual([15, 90, 50])
  expect(await averages('2y')).toEqual([40, 50])
  await system((tx) => storeSamples(tx, [name], [sampleAt(now + 3 * day)]))
  await pass(90)
  expect(await rowsOf('hourly')).toHaveLength(2)
  expect(await rowsOf('daily')).toMatchObject([{ samples: 3, cpu_total: 40 }])
  expect((await averages('2y')).slice(0, 2)).toEqual([40, 50])
  expect((await metrics(name, '2y')).samples).toHaveLength(730)
  await pass(790)
  expect([await rowsOf('hourly'), await rowsOf('daily')]).toEqual([[], []])
  now = noon
})
