import { tmpdir } from 'node:os'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { createConnections } from '#server/features/connections/connections.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import type { Machines } from '#server/providers/provider.ts'
import { createProviders } from '#server/providers/providers.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { addMember, makeOrganization, startTestProcess, type TestProcess } from '#tests/support/jobs.ts'
import { plainOrganizationSecrets } from '#tests/support/secrets.ts'
import { installationLabel, installationOf, serverLabel } from '../provision/machine-labels.ts'
import { createServers, type Servers } from '../servers.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session
let servers: Servers
let vendor: VendorServer
let machines: Machines
let account: Connection
let key: string
/** Each request passes some time at the vendor, so that machines start and end. */
let vendorTime = Date.parse('2026-05-01T12:00:00Z')
const hetzner = simulatedHetzner({ tokens: { 'a-token': 'full' }, now: () => (vendorTime += 5000) })
const faults: Fault[] = []
const mails: Mail[] = []
const warnings: unknown[] = []
const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) }
const publicKey = async () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPqmBzY5i4fkUlJlfUNLSFyHYBEVYDGlA1xbQ1Y1Z0mB'

beforeAll(async () => {
  database = await createProductDatabase()
  vendor = await serveVendor(withFaults(hetzner, faults))
  const config = loadConfig({ HCLOUD_ENDPOINT: vendor.url }, tmpdir())
  const provider = createProviders(config).hetzner({ token: 'a-token' })
  machines = provider.machines
  const rateLimiter = { hit: async () => undefined }
  running = await startTestProcess(database.database, {
    start: false,
    features: ({ documents, jobs }) => {
      const connections = createConnections({ config, documents, rateLimiter, publicKey, log: silentLog })
      servers = createServers({
        ...{ documents, engines: {}, log, jobs: () => jobs, rateLimiter, publicKey },
        installationKey: async () => null,
        providerOf: connections.providerOf,
        withProvider: connections.withProvider,
        metrics: {
          areSent: false,
          agentFiles: async () => [],
          pull: async () => undefined,
          observe: async () => undefined,
        },
        secrets: plainOrganizationSecrets,
        mailer: { send: async (_trx, mail) => void mails.push(mail) },
        sender: { productName: 'Easydash', url: 'https://dash.example' },
      })
      return { controllers: [...(connections.controllers ?? []), ...servers.controllers] }
    },
  })
  owner = await makeOrganization(running.documents, 'acme')
  await system(async (tx) => {
    await addMember(tx, 'acme', { email: 'admin@acme.example', name: 'Ann', role: 'Organization Admin' })
    await addMember(tx, 'acme', { email: 'manager@acme.example', name: 'Mo', role: 'Organization Manager' })
  })
  account = await connect('a-token')
  key = await machines.ensureKey(await publicKey(), 'fsn1')
})
afterAll(async () => {
  await running?.stop()
  await vendor?.close()
  await database?.drop()
})
beforeEach(() => void mails.splice(0))

const system = <T>(work: (tx: Tx) => Promise<T>) => running.documents.transaction(systemSession(), work)
const connect = async (token: string) => {
  const { name } = await running.documents.insert(owner, 'Connection', { kind: 'Hetzner', hcloud_token: token })
  return system((tx) => tx.update(ConnectionDoctype, name, { status: 'Connected' }, { hooks: false }))
}
const accountNow = () => system((tx) => tx.get(ConnectionDoctype, account.name))
const sweep = () => servers.schedules[2].run()
/** A machine that is labeled like those that this installation orders, or another one. */
const order = async (operation: string, installation?: string) =>
  machines.create({
    ...{ operation, name: operation, region: 'fsn1', type: 'cx23', keys: [key], userData: '', diskGigabytes: 40 },
    labels: { [serverLabel]: operation, [installationLabel]: installation ?? (await installationOf({ publicKey })) },
  })
const addServer = async (hostname: string) => {
  const server = await system((tx) =>
    tx.insert(ServerDoctype, {
      ...{ organization: 'acme', hostname, status: 'Healthy', cloud_provider: 'Hetzner', vm_type: 'cx23' },
      connection: account.name,
    }),
  )
  const { id, ipv4, ipv6 } = await order(server.name)
  await write(server.name, { provider_id: id, public_ipv4: ipv4, public_ipv6: ipv6 })
  return { name: server.name, id }
}
const write = (name: string, values: Partial<Server>) =>
  system((tx) => tx.update(ServerDoctype, name, values, { hooks: false }))
const serverNow = (name: string) => system((tx) => tx.get(ServerDoctype, name))

test('an account without machines has nothing to report', async () => {
  await sweep()
  expect(await accountNow()).toMatchObject({ status: 'Connected', orphans: null })
  expect(warnings).toEqual([])
})

test('a machine that was deleted at its provider is missed, but not one that only a list has not got', async () => {
  const { name, id } = await addServer('web-1')
  faults.push({ kind: 'lag', on: 'GET /servers?label_selector' })
  await sweep()
  expect(faults).toEqual([])
  expect(await serverNow(name)).toMatchObject({ status: 'Healthy', drift: null })
  await machines.delete(id)
  vendorTime += 60_000
  await sweep()
  expect(await serverNow(name)).toMatchObject({
    status: 'Failed',
    failure_reason: 'The machine was deleted at Hetzner.',
  })
  const noticed = [
    ['reference_name', '=', name],
    ['action', '=', 'Server.went_down'],
  ] as const
  expect(await system((tx) => tx.count('Activity', noticed))).toBe(1)
})

test('what was changed at the provider shows, until it is the same again', async () => {
  const { name } = await addServer('web-2')
  const was = await serverNow(name)
  await write(name, { vm_type: 'cx33', public_ipv4: '203.0.113.7' })
  await sweep()
  expect(await serverNow(name)).toMatchObject({
    ...{ status: 'Healthy', vm_type: 'cx33' },
    drift: { vm_type: 'cx23', public_ipv4: was?.public_ipv4 },
  })
  await write(name, { vm_type: 'cx23', public_ipv4: was?.public_ipv4 ?? null })
  await sweep()
  expect(await serverNow(name)).toMatchObject({ drift: null })
})

test('a machine without a server is reported once, and deleted if its creation is known to have failed', async () => {
  await order('foreign001', 'another-one')
  // That it could not be started is no reason to overlook it.
  faults.push({ kind: 'fail_later', on: 'POST /servers' })
  await order('unknown001')
  await order('canceled01')
  await system((tx) =>
    tx.insert(JobDoctype, {
      ...{ organization: 'acme', job_type: 'server.create', status: 'Cancelled' },
      ...{ reference_doctype: 'Server', reference_name: 'canceled01' },
    }),
  )
  await sweep()
  vendorTime += 60_000
  expect((await accountNow())?.orphans).toMatchObject([
    { name: expect.stringContaining('unknown001'), price: expect.stringMatching(/^\d+\.\d+ EUR$/), deleted: false },
    { name: expect.stringContaining('canceled01'), deleted: true },
  ])
  expect(mails.map(({ to }) => to).toSorted()).toEqual(['admin@acme.example', 'owner@acme.example'])
  expect(mails[0]?.text).toMatch(/unknown001.*EUR per month, running/)
  expect(mails[0]?.text).not.toContain('foreign001')
  await sweep()
  expect((await accountNow())?.orphans).toHaveLength(1)
  expect(mails).toHaveLength(2)
  expect(await machines.list({ name: serverLabel, value: 'canceled01' })).toEqual([])
  expect(await machines.list({ name: serverLabel, value: 'foreign001' })).toHaveLength(1)
})

test('a revoked token makes its connection fail, and stops no other account', async () => {
  const revoked = await connect('revoked-token')
  const { name } = await addServer('web-3')
  await write(name, { vm_type: 'cx33' })
  await sweep()
  expect(await system((tx) => tx.get(ConnectionDoctype, revoked.name))).toMatchObject({
    status: 'Failed',
    outcome: 'wrong_key',
  })
  expect(await serverNow(name)).toMatchObject({ status: 'Healthy', drift: { vm_type: 'cx23' } })
  expect(await accountNow()).toMatchObject({ status: 'Connected' })
})
