import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'
import { createProviders } from '#server/providers/providers.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { startSimulatedCloud, type SimulatedCloud } from '#server/providers/simulator/simulated-cloud.ts'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
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
import { createServers } from '../servers.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session
let cloud: SimulatedCloud
let vendor: VendorServer
let amazon: VendorServer
/** The vendor's clock: its machines start in seconds, of which a test has none to spare. */
let vendorTime = Date.parse('2026-05-01T12:00:00Z')
const shared = {
  now: () => (vendorTime += 2000),
  cloud: {
    start: (machine) => cloud.start(machine),
    stop: (address) => cloud.stop(address),
    power: (address, isOn) => cloud.power(address, isOn),
  } satisfies Pick<SimulatedCloud, 'start' | 'stop' | 'power'>,
}
const hetzner = simulatedHetzner({ tokens: { 'a-token': 'full' }, ...shared })
const account = { accessKey: 'AKIAONE', secretKey: 'a-secret-key' }
const ec2 = simulatedEc2({ keys: [{ ...account, access: 'full' }], ...shared })
const faults: Fault[] = []
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

beforeAll(async () => {
  database = await createProductDatabase()
  cloud = await startSimulatedCloud(await mkdtemp(join(tmpdir(), 'easydash-cloud-')), 3)
  vendor = await serveVendor(withFaults(hetzner, faults))
  amazon = await serveVendor(withFaults(ec2, faults))
  const config = { ...loadConfig({}, tmpdir()), addressMap: cloud.addressMap }
  const providers = createProviders({
    ...config,
    endpoints: { ...config.endpoints, hetzner: vendor.url, awsEc2: amazon.url },
  })
  running = await startTestProcess(database.database, {
    clock: shortPauses,
    features: ({ documents, jobs }) =>
      createServers({
        documents,
        engines: {},
        log: silentLog,
        clock: shortPauses,
        config,
        jobs: () => jobs,
        installationKey: async () => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
        rateLimiter: { hit: async () => undefined },
        publicKey: async () => publicKeyLine(publicKey),
        providerOf: async (_tx, { cloud_provider: provider }) =>
          provider === 'AWS' ? providers.aws(account) : providers.hetzner({ token: 'a-token' }),
      }),
  })
  owner = await makeOrganization(running.documents, 'acme', {
    default_authorized_keys: '# laptops\nssh-ed25519 AAAA ann',
  })
})
afterAll(async () => {
  await running?.stop()
  await vendor?.close()
  await amazon?.close()
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
const read = (name: string): Promise<Server | null> =>
  running.documents.transaction(systemSession(), (tx) => tx.get(ServerDoctype, name))

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

  await expect(running.documents.delete(owner, 'Server', name)).rejects.toMatchObject({ code: 'invalid' })
  await expect(
    running.documents.runAction(owner, 'Server', name, 'decommission', { hostname: 'another' }),
  ).rejects.toMatchObject({ field: 'confirm_name' })
  const end = await running.documents.runAction(owner, 'Server', name, 'decommission', {
    hostname: 'web-1.acme.example',
  })
  expect(await untilEnded(running.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
  expect(await read(name)).toMatchObject({ status: 'Decommissioned' })
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

const atAws = { ...order, cloud_provider: 'AWS', vm_region: 'eu-central-1', vm_type: 't3.small', vm_ebs_size: 60 }

test('at AWS a machine has the disk ordered, lets root in with our key only, and is known by its region', async () => {
  const { name, job } = await insert({ ...atAws, hostname: 'web-3.acme.example' })
  expect(job).toMatchObject({ status: 'Done' })
  const server = await read(name)
  expect(server).toMatchObject({ status: 'Healthy', provider_id: expect.stringMatching(/^eu-central-1\/i-/) })
  expect(Math.round(Number(server?.disk) / 2 ** 30)).toBe(60)
})

test('a machine that could not be started can be given up', async () => {
  faults.push({ kind: 'fail_later', on: 'POST / Action=RunInstances&' })
  const { name, job } = await insert({ ...atAws, hostname: 'web-4.acme.example' })
  expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('Volume limit exceeded') })
  const end = await running.documents.runAction(owner, 'Server', name, 'decommission', {
    hostname: 'web-4.acme.example',
  })
  expect(await untilEnded(running.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
  expect(await read(name)).toMatchObject({ status: 'Decommissioned' })
})
