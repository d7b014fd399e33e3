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
import type { AccountOptions } from '#server/providers/simulator/account.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { startSimulatedCloud, type SimulatedCloud } from '#server/providers/simulator/simulated-cloud.ts'
import { simulatedDigitalOcean } from '#server/providers/simulator/simulated-digitalocean.ts'
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
const token = 'a-token'
/** The vendors' clock: their machines start in seconds, of which a test has none to spare. */
let vendorTime = Date.parse('2026-05-01T12:00:00Z')
const account: AccountOptions = {
  tokens: { [token]: 'full' },
  now: () => (vendorTime += 2000),
  cloud: { start: (machine) => cloud.start(machine), stop: (address) => cloud.stop(address), power: () => undefined },
}
/** What to order where. */
const cases = {
  Hetzner: {
    simulated: simulatedHetzner(account),
    order: { vm_country: 'DE', vm_region: 'fsn1', vm_type: 'cx23' },
    currency: 'EUR',
    createPath: '/servers',
  },
  DigitalOcean: {
    simulated: simulatedDigitalOcean(account),
    order: { vm_country: 'DE', vm_region: 'fra1', vm_type: 's-1vcpu-2gb' },
    currency: 'USD',
    createPath: '/v2/droplets',
  },
} as const
const labels = ['Hetzner', 'DigitalOcean'] as const
const vendors = {} as Record<(typeof labels)[number], VendorServer>
const faults: Fault[] = []
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

beforeAll(async () => {
  database = await createProductDatabase()
  cloud = await startSimulatedCloud(await mkdtemp(join(tmpdir(), 'easydash-cloud-')), 3)
  for (const label of labels) vendors[label] = await serveVendor(withFaults(cases[label].simulated, faults))
  const config = { ...loadConfig({}, tmpdir()), addressMap: cloud.addressMap }
  const endpoints = { ...config.endpoints, hetzner: vendors.Hetzner.url, digitalocean: vendors.DigitalOcean.url }
  const clock = { now: () => Date.now(), sleep: async () => undefined, random: () => 0 }
  const providers = createProviders({ ...config, endpoints }, { clock })
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
        providerOf: async (_tx, { cloud_provider: label }) =>
          label === 'Hetzner' ? providers.hetzner({ token }) : providers.digitalocean({ token }),
      }),
  })
  owner = await makeOrganization(running.documents, 'acme', {
    default_authorized_keys: '# laptops\nssh-ed25519 AAAA ann',
  })
})
afterAll(async () => {
  await running?.stop()
  for (const vendor of Object.values(vendors)) await vendor.close()
  await cloud?.close()
  await database?.drop()
})

const insert = (label: (typeof labels)[number], hostname: string) => {
  const values = { server_category: 'development', cloud_provider: label, ...cases[label].order, hostname }
  return running.documents.insert(owner, 'Server', values)
}
const read = (name: string): Promise<Server | null> =>
  running.documents.transaction(systemSession(), (tx) => tx.get(ServerDoctype, name))

test.each(labels)(
  'a machine of %s is ordered, known by its own key, set up, measured and given back',
  async (label) => {
    const { simulated, currency } = cases[label]
    const hostname = `web-1.${label.toLowerCase()}.example`
    const { name, job } = await insert(label, hostname)
    expect(await untilEnded(running.documents, String(job))).toMatchObject({ status: 'Done' })
    const server = await read(name)
    expect(server).toMatchObject({
      status: 'Healthy',
      public_ipv4: expect.stringMatching(/^198\.18\.0\./),
      os: 'Ubuntu 24.04.3 LTS',
      easyengine: '4.10.2',
      docker: '27.5.1',
      pending_updates: 0,
      ssh_host_key: expect.stringMatching(/^ssh-ed25519 AAAA/),
      price_currency: currency,
      default_site_username: 'easydash',
    })
    expect(simulated.contentsOf(token).servers).toHaveLength(1)

    await expect(running.documents.delete(owner, 'Server', name)).rejects.toMatchObject({ code: 'invalid' })
    await expect(
      running.documents.runAction(owner, 'Server', name, 'decommission', { hostname: 'another' }),
    ).rejects.toMatchObject({ field: 'confirm_name' })
    const end = await running.documents.runAction(owner, 'Server', name, 'decommission', { hostname })
    expect(await untilEnded(running.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
    expect(await read(name)).toMatchObject({ status: 'Decommissioned' })
    expect(simulated.contentsOf(token).servers).toEqual([])
  },
)

test.each(labels)('a cancel gives back the machine that was ordered, also if %s lost its answer', async (label) => {
  const { seen } = vendors[label]
  const { createPath } = cases[label]
  const deletions = seen.filter(({ method }) => method === 'DELETE').length
  faults.push({ kind: 'lose_answer', on: `POST ${createPath}` })
  const doc = await insert(label, `web-2.${label.toLowerCase()}.example`)
  const job = String(doc['job'])
  await until(running.documents, JobDoctype, job, (now) => now?.steps?.[0]?.status === 'Done')
  await running.documents.runAction(owner, 'Job', job, 'cancel', {})
  expect(await untilEnded(running.documents, job)).toMatchObject({ status: 'Cancelled' })
  expect(await read(doc.name)).toBeNull()
  // One for each test: the answer that was lost is not asked for by a second order.
  expect(seen.filter(({ method, path }) => method === 'POST' && path === createPath)).toHaveLength(2)
  expect(seen.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(deletions)
})

test.each(labels)('a machine of %s that could not be started is given back', async (label) => {
  const { simulated, createPath } = cases[label]
  faults.push({ kind: 'fail_later', on: `POST ${createPath}` })
  const hostname = `web-3.${label.toLowerCase()}.example`
  const { name, job } = await insert(label, hostname)
  expect(await untilEnded(running.documents, String(job))).toMatchObject({ status: 'Failed' })
  expect(simulated.contentsOf(token).servers).toHaveLength(1)
  const end = await running.documents.runAction(owner, 'Server', name, 'decommission', { hostname })
  expect(await untilEnded(running.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
  expect(simulated.contentsOf(token).servers).toEqual([])
})
