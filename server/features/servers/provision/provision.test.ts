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
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { makeOrganization, startTestProcess, testClock, until, type TestProcess } from '#tests/support/jobs.ts'
import { createServers } from '../servers.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session
let cloud: SimulatedCloud
const clock = testClock()
const token = 'a-token'
const keys = { accessKey: 'AKIAONE', secretKey: token }
/** The vendors' clock: their machines start in seconds, of which a test has none to spare. */
let vendorTime = Date.parse('2026-05-01T12:00:00Z')
const account: AccountOptions = {
  tokens: { [token]: 'full' },
  now: () => (vendorTime += 2000),
  cloud: { start: (machine) => cloud.start(machine), stop: (address) => cloud.stop(address), power: () => undefined },
}
/** What to order where, and what comes of it. */
const cases = {
  Hetzner: {
    simulated: simulatedHetzner(account),
    order: { vm_country: 'DE', vm_region: 'fsn1', vm_type: 'cx23' },
    server: { price_currency: 'EUR' },
    createRequest: 'POST /servers ',
    deleteRequest: 'DELETE',
    leftByFailure: 1,
  },
  DigitalOcean: {
    simulated: simulatedDigitalOcean(account),
    order: { vm_country: 'DE', vm_region: 'fra1', vm_type: 's-1vcpu-2gb' },
    server: { price_currency: 'USD' },
    createRequest: 'POST /v2/droplets ',
    deleteRequest: 'DELETE',
    leftByFailure: 1,
  },
  AWS: {
    simulated: simulatedEc2({ ...account, keys: [{ ...keys, access: 'full' }] }),
    order: { vm_country: 'DE', vm_region: 'eu-central-1', vm_type: 't3.small', vm_ebs_size: 60 },
    server: { provider_id: expect.stringMatching(/^eu-central-1\/i-/), disk: 60 * 2 ** 30 },
    createRequest: 'POST / Action=RunInstances&',
    deleteRequest: 'POST / Action=TerminateInstances&',
    // It is terminated at once.
    leftByFailure: 0,
  },
} as const
const labels = ['Hetzner', 'DigitalOcean', 'AWS'] as const
const vendors = {} as Record<(typeof labels)[number], VendorServer>
const faults: Fault[] = []
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

beforeAll(async () => {
  database = await createProductDatabase()
  cloud = await startSimulatedCloud(await mkdtemp(join(tmpdir(), 'easydash-cloud-')), 3)
  for (const label of labels) vendors[label] = await serveVendor(withFaults(cases[label].simulated, faults))
  const config = { ...loadConfig({}, tmpdir()), addressMap: cloud.addressMap }
  const { Hetzner: hetzner, DigitalOcean: digitalocean, AWS: ec2 } = vendors
  const endpoints = { ...config.endpoints, hetzner: hetzner.url, digitalocean: digitalocean.url, awsEc2: ec2.url }
  const providers = createProviders(
    { ...config, endpoints },
    { clock: { now: () => Date.now(), sleep: async () => undefined, random: () => 0 } },
  )
  running = await startTestProcess(database.database, {
    clock,
    features: ({ documents, jobs }) =>
      createServers({
        documents,
        engines: {},
        log: silentLog,
        clock,
        config,
        jobs: () => jobs,
        installationKey: async () => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
        rateLimiter: { hit: async () => undefined },
        publicKey: async () => publicKeyLine(publicKey),
        providerOf: async (_tx, { cloud_provider: label }) =>
          label === 'AWS'
            ? providers.aws(keys)
            : providers[label === 'Hetzner' ? 'hetzner' : 'digitalocean']({ token }),
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
/** A job when it has ended; what it waits for takes no time. */
const ended = (job: string): Promise<Job | null> =>
  until(running.documents, JobDoctype, job, (now) => {
    if (now?.steps?.some(({ wait }) => wait)) clock.pass(5000)
    return ['Done', 'Failed', 'Cancelled'].includes(now?.status ?? '')
  })

test.each(labels)(
  'a machine of %s is ordered, known by its own key, set up, measured and given back',
  async (label) => {
    const { simulated, server: expected } = cases[label]
    const hostname = `web-1.${label.toLowerCase()}.example`
    const { name, job } = await insert(label, hostname)
    expect(await ended(String(job))).toMatchObject({ status: 'Done' })
    const server = await read(name)
    expect(server).toMatchObject({
      status: 'Healthy',
      public_ipv4: expect.stringMatching(/^198\.18\.0\./),
      os: 'Ubuntu 24.04.3 LTS',
      easyengine: '4.10.2',
      docker: '27.5.1',
      pending_updates: 0,
      ssh_host_key: expect.stringMatching(/^ssh-ed25519 AAAA/),
      default_site_username: 'easydash',
      ...expected,
    })
    expect(simulated.contentsOf(token).servers).toHaveLength(1)

    await expect(running.documents.delete(owner, 'Server', name)).rejects.toMatchObject({ code: 'invalid' })
    await expect(
      running.documents.runAction(owner, 'Server', name, 'decommission', { hostname: 'another' }),
    ).rejects.toMatchObject({ field: 'confirm_name' })
    const end = await running.documents.runAction(owner, 'Server', name, 'decommission', { hostname })
    expect(await ended(String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
    expect(await read(name)).toMatchObject({ status: 'Decommissioned' })
    expect(simulated.contentsOf(token).servers).toEqual([])
  },
)

test.each(labels)('a cancel gives back the machine that was ordered, also if %s lost its answer', async (label) => {
  const { seen } = vendors[label]
  const { createRequest, deleteRequest } = cases[label]
  const count = (request: string) =>
    seen.filter(({ method, path, body }) => `${method} ${path} ${body}`.startsWith(request)).length
  const deletions = count(deleteRequest)
  faults.push({ kind: 'lose_answer', on: createRequest })
  const doc = await insert(label, `web-2.${label.toLowerCase()}.example`)
  const job = String(doc['job'])
  await until(running.documents, JobDoctype, job, (now) => now?.steps?.[0]?.status === 'Done')
  await running.documents.runAction(owner, 'Job', job, 'cancel', {})
  expect(await ended(job)).toMatchObject({ status: 'Cancelled' })
  expect(await read(doc.name)).toBeNull()
  // One for each test: the answer that was lost is not asked for by a second order.
  expect(count(createRequest)).toBe(2)
  expect(count(deleteRequest)).toBeGreaterThan(deletions)
})

test.each(labels)('a machine of %s that could not be started is given back', async (label) => {
  const { simulated, createRequest, leftByFailure } = cases[label]
  faults.push({ kind: 'fail_later', on: createRequest })
  const hostname = `web-3.${label.toLowerCase()}.example`
  const { name, job } = await insert(label, hostname)
  expect(await ended(String(job))).toMatchObject({ status: 'Failed' })
  expect(simulated.contentsOf(token).servers).toHaveLength(leftByFailure)
  const end = await running.documents.runAction(owner, 'Server', name, 'decommission', { hostname })
  expect(await ended(String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
  expect(simulated.contentsOf(token).servers).toEqual([])
})
