import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { createMachineTokens } from '#server/features/accounts/sessions/machine-tokens.ts'
import { createServerMetrics, type MetricsFeature } from '#server/features/metrics/server-metrics.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'
import { createProviders } from '#server/providers/providers.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { startSimulatedCloud, type SimulatedCloud } from '#server/providers/simulator/simulated-cloud.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  makeOrganization,
  shortPauses,
  startTestProcess,
  until,
  untilEnded,
  type TestProcess,
} from '#tests/support/jobs.ts'
import { createServers, type Servers } from '../servers.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session
let metrics: MetricsFeature
let servers: Servers
/** Folder of the simulated machines. */
let machines: string
let cloud: SimulatedCloud
let vendor: VendorServer
/** The vendor's clock: its machines start in seconds, of which a test has none to spare. */
let vendorTime = Date.parse('2026-05-01T12:00:00Z')
const hetzner = simulatedHetzner({
  tokens: { 'a-token': 'full' },
  now: () => (vendorTime += 2000),
  cloud: { start: (machine) => cloud.start(machine), stop: (address) => cloud.stop(address) },
})
const faults: Fault[] = []
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

beforeAll(async () => {
  database = await createProductDatabase()
  machines = await mkdtemp(join(tmpdir(), 'easydash-cloud-'))
  cloud = await startSimulatedCloud(machines, 3)
  vendor = await serveVendor(withFaults(hetzner, faults))
  const config = { ...loadConfig({}, tmpdir()), addressMap: cloud.addressMap }
  const providers = createProviders({ ...config, endpoints: { ...config.endpoints, hetzner: vendor.url } })
  running = await startTestProcess(database.database, {
    clock: shortPauses,
    features: ({ documents, jobs }) => {
      metrics = createServerMetrics({
        documents,
        engines: {},
        machineTokens: createMachineTokens(database.database.db),
        rateLimiter: { hit: async () => undefined },
        url: 'https://dash.example',
      })
      servers = createServers({
        metrics,
        withProvider: async () => undefined,
        mailer: { send: async () => undefined },
        sender: { productName: 'Easydash', url: 'https://dash.example' },
        documents,
        engines: {},
        log: silentLog,
        clock: shortPauses,
        config,
        jobs: () => jobs,
        installationKey: async () => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
        rateLimiter: { hit: async () => undefined },
        publicKey: async () => publicKeyLine(publicKey),
        providerOf: async () => providers.hetzner({ token: 'a-token' }),
      })
      return { ...servers, controllers: [...servers.controllers, ...(metrics.controllers ?? [])], schedules: [] }
    },
  })
  owner = await makeOrganization(running.documents, 'acme', {
    default_authorized_keys: '# laptops\nssh-ed25519 AAAA ann',
  })
})
afterAll(async () => {
  await running?.stop()
  await vendor?.close()
  await cloud?.close()
  await database?.drop()
})

const order = {
  server_category: 'development',
  cloud_provider: 'Hetzner',
  vm_country: 'DE',
  vm_region: 'fsn1',
  vm_type: 'cx23',
}

const insert = async (values: Record<string, unknown>) => {
  const doc = await running.documents.insert(owner, 'Server', values)
  return { name: doc.name, job: await untilEnded(running.documents, String(doc['job'])) }
}
const system = <T>(work: (tx: Tx) => Promise<T>) => running.documents.transaction(systemSession(), work)
const read = (name: string): Promise<Server | null> => system((tx) => tx.get(ServerDoctype, name))

test('a machine is ordered, known by its own key, set up, measured and given back', async () => {
  const { name, job } = await insert({ ...order, hostname: 'web-1.acme.example' })
  expect(job).toMatchObject({ status: 'Done' })
  const server = await read(name)
  expect(server).toMatchObject({
    status: 'Healthy',
    public_ipv4: '198.18.0.1',
    os: 'Ubuntu 24.04.3 LTS',
    easyengine: '4.10.2',
    docker: '27.5.1',
    pending_updates: 0,
    ssh_host_key: expect.stringMatching(/^ssh-ed25519 AAAA/),
    price_currency: 'EUR',
    default_site_username: 'easydash',
  })
  expect(hetzner.contentsOf('a-token').servers).toHaveLength(1)

  const file = (path: string) => join(machines, '198.18.0.1', path)
  const config = await readFile(file('etc/easydash-metrics.conf'), 'utf8')
  expect((await stat(file('etc/easydash-metrics.conf'))).mode & 0o777).toBe(0o600)
  expect(config).toContain('url = "https://dash.example/hooks/metrics"')
  const [, header = ''] = /^header = "Authorization: (.*)"$/m.exec(config) ?? []
  const send = () =>
    metrics.routes?.[0]?.run({
      headers: { authorization: header },
      body: Buffer.from('[]'),
      params: {},
      query: '',
      ip: '192.0.2.1',
    })
  expect(await send()).toMatchObject({ status: 200 })
  expect(await readFile(file('var/lib/simulated/systemctl.log'), 'utf8')).toContain(
    'enable --now easydash-metrics.timer',
  )

  // Without an agent it is asked for its samples by SSH.
  expect(server).toMatchObject({ metrics_agent: 1, metrics_at: null })
  await servers.schedules[1].run()
  expect(await read(name)).toMatchObject({ metrics_at: null })
  await system((tx) => tx.updateColumns(ServerDoctype, name, { metrics_agent: 0 }))
  await servers.schedules[1].run()
  expect(await read(name)).toMatchObject({ metrics_at: expect.any(String), cpu_percent: expect.any(Number) })

  await expect(running.documents.delete(owner, 'Server', name)).rejects.toMatchObject({ code: 'invalid' })
  await expect(
    running.documents.runAction(owner, 'Server', name, 'decommission', { hostname: 'another' }),
  ).rejects.toMatchObject({ field: 'confirm_name' })
  // Its provider gave it another address and type.
  await system((tx) =>
    tx.update(
      ServerDoctype,
      name,
      { public_ipv4: '198.18.0.2', drift: { public_ipv4: '198.18.0.1', vm_type: 'cx33' } },
      { hooks: false },
    ),
  )
  await running.documents.runAction(owner, 'Server', name, 'refresh_facts', {})
  expect(await read(name)).toMatchObject({ public_ipv4: '198.18.0.1', vm_type: 'cx33', drift: null })
  const end = await running.documents.runAction(owner, 'Server', name, 'decommission', {
    hostname: 'web-1.acme.example',
  })
  expect(await untilEnded(running.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
  expect(await read(name)).toMatchObject({ status: 'Decommissioned' })
  await expect(send()).rejects.toMatchObject({ code: 'unauthorized' })
  expect(hetzner.contentsOf('a-token').servers).toEqual([])
})

test('a cancel gives back the machine that was ordered, also if the vendor lost its answer', async () => {
  const deletions = vendor.seen.filter(({ method }) => method === 'DELETE').length
  faults.push({ kind: 'lose_answer', on: 'POST /servers' })
  const doc = await running.documents.insert(owner, 'Server', { ...order, hostname: 'web-2.acme.example' })
  const job = String(doc['job'])
  await until(running.documents, JobDoctype, job, (now) => now?.steps?.[0]?.status === 'Done')
  await running.documents.runAction(owner, 'Job', job, 'cancel', {})
  expect(await untilEnded(running.documents, job)).toMatchObject({ status: 'Cancelled' })
  expect(await read(doc.name)).toBeNull()
  // One for each test: the answer that was lost is not asked for by a second order.
  expect(vendor.seen.filter(({ method, path }) => method === 'POST' && path === '/servers')).toHaveLength(2)
  expect(vendor.seen.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(deletions)
})
