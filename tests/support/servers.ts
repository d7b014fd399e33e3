/** The servers feature with simulated vendors and their machines. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMachineTokens } from '#server/features/accounts/sessions/machine-tokens.ts'
import { createServerMetrics, type MetricsFeature } from '#server/features/metrics/server-metrics.ts'
import { createServers, type Servers } from '#server/features/servers/servers.ts'
import type { Clock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Database } from '#server/platform/database/database.ts'
import { createEeEngine } from '#server/engines/ee/ee-engine.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'
import { createProviders } from '#server/providers/providers.ts'
import type { AccountOptions } from '#server/providers/simulator/account.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { startSimulatedCloud } from '#server/providers/simulator/simulated-cloud.ts'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedDigitalOcean } from '#server/providers/simulator/simulated-digitalocean.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { serveVendor } from '#server/providers/simulator/simulated-vendor.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { eeOptions } from './ee-server.ts'
import { plainOrganizationSecrets } from './secrets.ts'
import { createProductDatabase, type TestDatabase } from './database.ts'
import { makeOrganization, startTestProcess, until, type TestClock, type TestProcessOptions } from './jobs.ts'

/** What the feature needs where no machine, vendor or mail is reached. */
export const unreachable = {
  rateLimiter: { hit: async () => undefined },
  publicKey: async () => 'ssh-ed25519 AAAA',
  metrics: { areSent: false, agentFiles: async () => [], pull: async () => undefined, observe: async () => undefined },
  withProvider: async () => undefined,
  secrets: plainOrganizationSecrets,
  mailer: { send: async () => undefined },
  sender: { productName: 'Easydash', url: 'https://dash.example' },
  providerOf: async () => Promise.reject(new Error('There is no provider.')),
}

const token = 'a-token'
const keys = { accessKey: 'AKIAONE', secretKey: token }

/** Where a process finds vendors and machines, and what it signs in to machines with. */
export interface ServersPlace {
  readonly addressMap: Readonly<Record<string, string>>
  readonly endpoints: Readonly<Record<'hetzner' | 'digitalocean' | 'awsEc2', string>>
  readonly installationKey: string
  readonly installationLine: string
}

/** Starts a process with the feature. Its repeated work is run by tests themselves. */
export async function startServersProcess(
  database: Database,
  {
    place,
    ...options
  }: Pick<TestProcessOptions, 'clock' | 'concurrency' | 'limits'> & { readonly place: ServersPlace },
) {
  const base = loadConfig({}, tmpdir())
  const config = { ...base, addressMap: place.addressMap, endpoints: { ...base.endpoints, ...place.endpoints } }
  const noPauses = { now: () => Date.now(), sleep: async () => undefined, random: () => 0 }
  const providers = createProviders(config, { clock: noPauses })
  const open = { Hetzner: () => providers.hetzner({ token }), AWS: () => providers.aws(keys) }
  const digitalocean = () => providers.digitalocean({ token })
  const engine = createEeEngine(
    eeOptions({ addressMap: place.addressMap, privateKey: place.installationKey, folder: tmpdir() }),
  )
  let parts: { readonly servers: Servers; readonly metrics: MetricsFeature } | null = null
  const running = await startTestProcess(database, {
    ...options,
    features: ({ documents, jobs }) => {
      const metrics = createServerMetrics({
        documents,
        engines: {},
        machineTokens: createMachineTokens(database.db),
        rateLimiter: { hit: async () => undefined },
        url: 'https://dash.example',
      })
      const servers = createServers({
        documents,
        engines: { ee: engine },
        log: silentLog,
        ...(options.clock && { clock: options.clock }),
        config,
        jobs: () => jobs,
        installationKey: async () => place.installationKey,
        rateLimiter: { hit: async () => undefined },
        publicKey: async () => place.installationLine,
        providerOf: async (_tx, { cloud_provider: label }) =>
          label === 'Hetzner' || label === 'AWS' ? open[label]() : digitalocean(),
        withProvider: async () => undefined,
        metrics,
        secrets: plainOrganizationSecrets,
        mailer: { send: async () => undefined },
        sender: { productName: 'Easydash', url: 'https://dash.example' },
      })
      parts = { servers, metrics }
      return { ...servers, controllers: [...servers.controllers, ...(metrics.controllers ?? [])], schedules: [] }
    },
  })
  return {
    ...running,
    async stop(graceMs?: number) {
      await running.stop(graceMs)
      await engine.stop()
    },
    ...(parts as unknown as { readonly servers: Servers; readonly metrics: MetricsFeature }),
  }
}

/** Starts all of it, with the organization acme. `machines`: how many of them there can be; `concurrency`: jobs at a time; `addressMap`: of more; `database`: with the
 * product's tables, default: one of this test run. */
export async function startServersFixture({
  machines,
  addressMap = {},
  database: given,
  ...options
}: Pick<TestProcessOptions, 'concurrency'> & {
  clock: Clock
  machines: number
  addressMap?: ServersPlace['addressMap']
  database?: Pick<TestDatabase, 'database' | 'connection' | 'drop'>
}) {
  const database = given ?? (await createProductDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'easydash-cloud-'))
  const cloud = await startSimulatedCloud(folder, machines, { shells: true })
  /** The vendors' clock: their machines start in seconds, of which a test has none to spare. */
  let vendorTime = Date.parse('2026-05-01T12:00:00Z')
  const account: AccountOptions = { tokens: { [token]: 'full' }, now: () => (vendorTime += 2000), cloud }
  const simulated = {
    Hetzner: simulatedHetzner(account),
    DigitalOcean: simulatedDigitalOcean(account),
    AWS: simulatedEc2({ keys: [{ ...keys, access: 'full' }], now: account.now, cloud }),
  }
  const faults: Fault[] = []
  const vendors = {
    Hetzner: await serveVendor(withFaults(simulated.Hetzner, faults)),
    DigitalOcean: await serveVendor(withFaults(simulated.DigitalOcean, faults)),
    AWS: await serveVendor(withFaults(simulated.AWS, faults)),
  }
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const installationLine = publicKeyLine(publicKey)
  const place: ServersPlace = {
    addressMap: { ...cloud.addressMap, ...addressMap },
    endpoints: { hetzner: vendors.Hetzner.url, digitalocean: vendors.DigitalOcean.url, awsEc2: vendors.AWS.url },
    installationKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    installationLine,
  }
  const { servers, metrics, ...running } = await startServersProcess(database.database, { ...options, place })
  const owner = await makeOrganization(running.documents, 'acme', {
    default_authorized_keys: '# laptops\nssh-ed25519 AAAA ann',
  })
  return {
    ...{ documents: running.documents, owner, cloud, folder, vendors, faults, installationLine },
    ...{ servers, metrics, place, connection: database.connection },
    /** What an account has at a vendor. */
    contentsOf: (label: keyof typeof simulated) => simulated[label].contentsOf(token),
    read: (name: string): Promise<Server | null> =>
      running.documents.transaction(systemSession(), (tx) => tx.get(ServerDoctype, name)),
    /** The job when it has ended; what its steps wait for is over at once. */
    async ended(name: unknown, clock: TestClock): Promise<Job | null> {
      const isOver = (job: Job | null) => ['Done', 'Failed', 'Cancelled'].includes(job?.status ?? '')
      for (let last = ''; ;) {
        const job = await until(running.documents, JobDoctype, String(name), (now) => {
          return isOver(now) || (now?.modified !== last && now?.steps?.some(({ wait }) => wait) === true)
        })
        if (isOver(job)) return job
        last = job?.modified ?? ''
        clock.pass(10_000)
      }
    },
    async stop() {
      await running.stop()
      for (const vendor of Object.values(vendors)) await vendor.close()
      await cloud.close()
      await database.drop()
    },
  }
}
