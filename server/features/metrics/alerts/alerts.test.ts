import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { AlertRuleDoctype } from '#shared/doctypes/alert-rule.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { serverAlerts, type ServerAlerts } from '#shared/responses/server-alerts.ts'
import type { SentSample } from '#shared/responses/server-metrics.ts'
import { metricInterval } from '#shared/rules/metric-ranges.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { metricsTables } from '../metrics-tables.ts'
import { storeSamples } from '../store-samples.ts'
import { openIncidents } from './alert-tables.ts'
import { alertControllers } from './alert-controllers.ts'
import { evaluateAlerts } from './evaluate-alerts.ts'
import { storeObservation } from './observations.ts'
import { slotsOf } from './sampled-findings.ts'

let t: TestDocuments
const slot = metricInterval
/** Seconds since 1970: noon, so that all of a test is on one day. */
const noon = Math.floor(Date.now() / 86_400_000) * 86_400 + 43_200
let now = noon
const clock = { now: () => now * 1000, setTimeout: () => null, clearTimeout: () => undefined }
const owner = sessionOf('owner@acme.example', 'acme')

beforeAll(async () => {
  t = await createTestDocuments({ controllers: alertControllers({ clock }) })
  await t.organization('acme')
  await t.organization('globex')
  await t.documents.transaction(t.system, ({ trx }) => metricsTables(trx))
})
afterAll(() => t.close())
beforeEach(() => (now = noon))

const usage = { total: 100, used: 10, free: 90, percent: 10 }
const counters = { rx_bytes: 1, tx_bytes: 1, rx_packets: 1, tx_packets: 1, rx_errors: 0, tx_errors: 0 }
const sample = (cpu: number, more: Partial<SentSample> = {}): SentSample => ({
  ...{ timestamp: now, primary_interface: 'eth0', uptime: 1000, load: { m1: 1, m5: 1, m15: 1 } },
  ...{ cpu: { user: cpu, system: 0, idle: 100 - cpu, total: cpu }, memory: usage, disk: usage, swap: usage },
  ...{ network: { ...counters, rx_dropped: 0, tx_dropped: 0 }, ...more },
})
let count = 0
const addServer = (values: Partial<Server> = {}): Promise<Server> =>
  t.documents.transaction(t.system, (tx) => {
    const hostname = `web-${(count += 1)}.acme.test`
    return tx.insert(ServerDoctype, { organization: 'acme', hostname, status: 'Healthy', ...values })
  })
const store = (server: string, given: SentSample) =>
  t.documents.transaction(t.system, (tx) => storeSamples(tx, [server], [given]))
const evaluate = () => evaluateAlerts({ documents: () => t.documents, clock })
const alerts = async (server: string, session = owner): Promise<ServerAlerts> =>
  serverAlerts.parse(await t.documents.runAction(session, 'Server', server, 'get_alerts', {}))
const rule = async (server: string, metric: string) => (await alerts(server)).rules.find((one) => one.metric === metric)
const recorded = async (server: string) =>
  (
    await t.documents.transaction(t.system, (tx) =>
      tx.list(ActivityDoctype, [['reference_name', '=', server]], { order_by: 'sequence asc' }),
    )
  ).flatMap(({ action, result, detail }) => (action?.startsWith('Server.i') ? [] : [`${action} ${result} ${detail}`]))

/** The samples of a server, one for each slot: above the threshold, below it, or missing. */
const history = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(95) },
    { weight: 4, arbitrary: fc.constant(20) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  { minLength: 12, maxLength: 12 },
)

/** What should become of a rule after the samples until now; true while there is an incident. */
function expectedNow(samples: readonly (number | null)[], minutes: number, isOpen: boolean): boolean {
  // The sample of the slot that has just begun may not be there yet.
  const until = samples.at(-1) === null ? samples.slice(0, -1) : samples
  const window = until.slice(-slotsOf(minutes))
  if (window.length < slotsOf(minutes) || window.includes(null)) return isOpen
  if (window.every((value) => Number(value) > 90)) return true
  return window.every((value) => Number(value) <= 90) ? false : isOpen
}

test('rules fire and recover after their hold time; where samples are missing nothing changes', async () => {
  const holds = [5, 10, 15, 25]
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: 8, maxLength: 8 }), async (histories) => {
      now = noon
      const servers: {
        name: string
        minutes: number
        samples: (number | null)[]
        isOpen: boolean
        starts: number
      }[] = []
      for (const [at, samples] of histories.entries()) {
        const { name } = await addServer()
        const minutes = holds[at % holds.length] ?? 5
        const settings = { metric: 'cpu', threshold: 90, minutes, severity: 'warning' } as const
        await t.documents.insert(owner, 'Alert Rule', { organization: 'acme', server: name, ...settings })
        servers.push({ name, minutes, samples, isOpen: false, starts: 0 })
      }
      for (let step = 0; step < 12; step += 1) {
        for (const { name, samples } of servers) {
          const value = samples[step]
          if (value != null) await store(name, sample(value))
        }
        await evaluate()
        for (const server of servers) {
          const wasOpen = server.isOpen
          server.isOpen = expectedNow(server.samples.slice(0, step + 1), server.minutes, wasOpen)
          if (server.isOpen && !wasOpen) server.starts += 1
        }
        const open = await t.documents.transaction(t.system, (tx) => openIncidents(tx))
        const names = servers.filter(({ isOpen }) => isOpen).map(({ name }) => name)
        const known = servers.map(({ name }) => name)
        expect(new Set(open.flatMap(({ server }) => (known.includes(server) ? [server] : [])))).toEqual(new Set(names))
        now += slot
      }
      for (const { name, isOpen, starts } of servers) {
        const { incidents } = await alerts(name)
        expect([name, incidents.length, incidents.some(({ ended }) => ended === null)]).toEqual([name, starts, isOpen])
      }
    }),
    { numRuns: 3 },
  )
})

test('an incident has its cause and last value, is in the activity, and ends with its rule', async () => {
  const { name } = await addServer({ cpu: 2 })
  for (const cpu of [91, 95, 99.5]) {
    await store(name, sample(cpu, { load: { m1: 9, m5: 9, m15: 9 } }))
    now += slot
  }
  await evaluate()
  now += 60
  await evaluate()
  expect((await alerts(name)).incidents).toEqual([
    expect.objectContaining({ metric: 'cpu', cause: 'CPU usage: 99.5%, above 90% for 15 minutes.', ended: null }),
    expect.objectContaining({ metric: 'load', cause: 'Load of a processor: 4.5, above 4 for 15 minutes.', value: 4.5 }),
  ])
  expect(await recorded(name)).toEqual([
    'Server.alert Failed CPU usage: 99.5%, above 90% for 15 minutes.',
    'Server.alert Failed Load of a processor: 4.5, above 4 for 15 minutes.',
  ])
  expect(await rule(name, 'cpu')).toMatchObject({ source: 'default', state: 'firing', value: 99.5 })
  // Who turns a rule off is told nothing more.
  await t.documents.insert(owner, 'Alert Rule', {
    organization: 'acme',
    server: name,
    metric: 'load',
    enabled: 0,
    threshold: 4,
  })
  await evaluate()
  const { incidents } = await alerts(name)
  expect(incidents.map(({ metric, ended }) => [metric, ended === null])).toEqual([
    ['cpu', true],
    ['load', false],
  ])
  expect(await recorded(name)).toHaveLength(2)
  // Later samples are missing: unknown, and still open.
  now += 4 * slot
  await evaluate()
  expect(await rule(name, 'cpu')).toMatchObject({ state: 'unknown', value: null })
  expect((await alerts(name)).incidents.some(({ ended }) => ended === null)).toBe(true)
})

test('a server that does not answer is down after its hold time, and up once it answers', async () => {
  const failure_since = formatTimestamp((now - 240) * 1000)
  const down = { status: 'Disconnected', failure_reason: 'No SSH connection.', failure_since } as const
  const { name } = await addServer(down)
  await evaluate()
  expect(await rule(name, 'disconnected')).toMatchObject({ state: 'mixed' })
  now += 60
  await evaluate()
  await t.documents.transaction(t.system, (tx) => tx.updateColumns(ServerDoctype, name, { status: 'Rebooting' }))
  await evaluate()
  expect((await alerts(name)).incidents).toMatchObject([{ metric: 'disconnected', severity: 'critical', ended: null }])
  now += 90
  await t.documents.transaction(t.system, (tx) => tx.updateColumns(ServerDoctype, name, { status: 'Healthy' }))
  await evaluate()
  expect(await recorded(name)).toEqual([
    'Server.went_down Failed No SSH connection.',
    'Server.came_up Done after 7 minutes',
  ])
})

test('an outage is one incident, also if its rule was off for a while', async () => {
  const failure_since = formatTimestamp((now - 600) * 1000)
  const { name } = await addServer({ status: 'Disconnected', failure_since })
  await evaluate()
  const off = { organization: 'acme', server: name, metric: 'disconnected', enabled: 0, threshold: 0 }
  const { name: disconnected } = await t.documents.insert(owner, 'Alert Rule', off)
  await evaluate()
  expect((await alerts(name)).incidents).toMatchObject([{ ended: expect.any(String) }])
  await t.documents.delete(owner, 'Alert Rule', disconnected)
  await evaluate()
  expect((await alerts(name)).incidents).toMatchObject([{ started: failure_since, ended: null }])
})

test('services and certificates that were seen on a server are judged, and what was not seen ends nothing', async () => {
  const { name } = await addServer()
  const site = await t.documents.transaction(t.system, (tx) =>
    tx.insert('Site', {
      organization: 'acme',
      domain: 'shop.example',
      server: name,
      site_type: 'html',
      status: 'Live',
    }),
  )
  const see = (verdict: 'ok' | 'failed', days: number | null) =>
    t.documents.transaction(t.system, (tx) =>
      storeObservation(
        tx,
        name,
        {
          services: [{ unit: 'cron.service', verdict, since: formatTimestamp((noon - 240) * 1000) }],
          certificates: days === null ? null : [{ domain: 'shop.example', expires: now + days * 86_400 }],
        },
        now * 1000,
      ),
    )
  const open = async () =>
    (await alerts(name)).incidents
      .filter(({ ended }) => ended === null)
      .map(({ metric, subject }) => `${metric} ${subject}`)
  await see('failed', 13)
  await evaluate()
  expect(await open()).toEqual(['certificate shop.example'])
  expect(await rule(name, 'service')).toMatchObject({ state: 'mixed' })
  expect(await recorded(site.name)).toContain(
    'Site.certificate_expiring Failed The certificate of shop.example is valid for 13 more days.',
  )
  now += 60
  await see('failed', null)
  await evaluate()
  expect(await open()).toEqual(['service cron.service', 'certificate shop.example'])
  // Nobody looked since.
  now += 7200
  await evaluate()
  expect(await open()).toHaveLength(2)
  expect(await rule(name, 'service')).toMatchObject({ state: 'unknown' })
  await see('ok', 90)
  await evaluate()
  expect(await open()).toEqual([])
  expect(await recorded(name)).toEqual([
    'Server.alert Failed cron.service does not run.',
    expect.stringMatching(/^Server\.alert_ended Done cron\.service, after 12\d minutes$/),
  ])
})

test('a server that makes up certificates all the time is not told about without end', async () => {
  const { name } = await addServer()
  for (let round = 0; round < 2; round += 1) {
    const made = Array.from({ length: 200 }, (_, at) => ({ domain: `d${round}-${at}.example`, expires: now + 86_400 }))
    const services = [{ unit: 'cron.service', verdict: 'failed', since: null }] as const
    await t.documents.transaction(t.system, (tx) =>
      storeObservation(tx, name, { services: round === 0 ? [] : services, certificates: made }, now * 1000),
    )
    await evaluate()
    now += 240
  }
  const entries = await recorded(name)
  expect(entries.filter((entry) => entry.startsWith('Server.certificate_expiring'))).toHaveLength(300)
  expect(entries).toContain('Server.alert Failed cron.service does not run.')
})

test('a rule of the organization holds for servers without their own, and bad ones name their field', async () => {
  const [one, other] = [await addServer(), await addServer()]
  const insert = (values: object, session = owner) =>
    t.documents.insert(session, 'Alert Rule', {
      organization: 'acme',
      metric: 'disk',
      threshold: 70,
      minutes: 5,
      ...values,
    })
  const common = await insert({})
  await insert({ server: one.name, threshold: 50 })
  expect(await rule(one.name, 'disk')).toMatchObject({ source: 'server', threshold: 50 })
  expect(await rule(other.name, 'disk')).toMatchObject({ source: 'organization', threshold: 70, name: common.name })
  await t.documents.delete(owner, 'Alert Rule', common.name)
  expect(await rule(other.name, 'disk')).toMatchObject({ source: 'default', threshold: 90, name: null })
  await expect(insert({ threshold: 100 })).rejects.toMatchObject({ code: 'invalid', field: 'threshold' })
  await expect(insert({ minutes: 241 })).rejects.toMatchObject({ field: 'minutes' })
  await expect(insert({ metric: 'noise' })).rejects.toMatchObject({ field: 'metric' })
  await expect(insert({ server: one.name })).rejects.toMatchObject({ code: 'invalid', field: 'metric' })
  const foreign = await addServer({ organization: 'globex' })
  await expect(insert({ server: foreign.name })).rejects.toMatchObject({ code: 'invalid', field: 'server' })
  const manager = await t.member('acme', 'manager@acme.example', 'Organization Manager')
  await expect(insert({ metric: 'swap' }, manager)).rejects.toMatchObject({ code: 'forbidden' })
  expect((await alerts(one.name, manager)).rules).toHaveLength(8)
  await t.documents.transaction(t.system, (tx) => tx.delete(ServerDoctype, one.name))
  expect(await t.documents.transaction(t.system, (tx) => tx.count(AlertRuleDoctype, [['server', '=', one.name]]))).toBe(
    0,
  )
})
