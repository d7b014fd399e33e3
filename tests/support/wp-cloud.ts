/** The feature of sites at WP Cloud with a simulated account there. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Feature } from '#server/contracts/feature.ts'
import type { Session } from '#server/contracts/session.ts'
import { createWpcSites } from '#server/features/wpc-sites/wpc-sites.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createProviders } from '#server/providers/providers.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { simulatedWpCloud } from '#server/providers/simulator/simulated-wpcloud.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { createProductDatabase, type TestDatabase } from './database.ts'
import { makeOrganization, startTestProcess, testClock, until, type TestProcess } from './jobs.ts'

/** Starts all of it for the tests of a file, with the organization acme. What it returns can be used in tests. */
export function useWpCloud() {
  const key = 'wp-cloud-key'
  const faults: Fault[] = []
  const clock = testClock()
  /** The vendor's clock: what it works on is done at the next look, unless its time stands still. */
  const vendorTime = { now: Date.now(), step: 4000 }
  const vendor = simulatedWpCloud({
    keys: { [key]: { client: 'acme', access: 'full' } },
    now: () => (vendorTime.now += vendorTime.step),
  })
  const open: Partial<{
    database: TestDatabase
    served: VendorServer
    running: TestProcess
    owner: Session
    provider: WpCloud
    feature: Feature
  }> = {}
  const part = <K extends keyof typeof open>(name: K): NonNullable<(typeof open)[K]> => {
    const found = open[name]
    if (found === undefined) throw new Error(`${name} is not there yet`)
    return found as NonNullable<(typeof open)[K]>
  }

  beforeAll(async () => {
    open.database = await createProductDatabase()
    open.served = await serveVendor(withFaults(vendor, faults))
    const config = loadConfig({ WPCLOUD_API_URL: open.served.url }, '/nowhere')
    const noPauses = { now: () => Date.now(), sleep: async () => undefined, random: () => 0 }
    const provider = createProviders(config, { clock: noPauses }).wpcloud({ key, client: 'acme' })
    open.provider = provider
    open.running = await startTestProcess(open.database.database, {
      clock,
      features({ documents, jobs }) {
        open.feature = createWpcSites({ documents, jobs: () => jobs, clock, wpCloudOf: async () => provider })
        return open.feature
      },
    })
    open.owner = await makeOrganization(open.running.documents, 'acme', { module_wpc: 1 })
  })
  afterAll(async () => {
    await open.running?.stop()
    await open.served?.close()
    await open.database?.drop()
  })
  beforeEach(() => {
    faults.length = 0
    vendorTime.step = 4000
  })

  const insert = (domain: string, more: object = {}) =>
    part('running').documents.insert(part('owner'), 'WPC Site', {
      ...{ domain, admin_user: 'ann', admin_email: 'ann@acme.example' },
      ...more,
    })
  const siteNow = (name: string) =>
    part('running').documents.transaction(systemSession(), (tx) => tx.get(WpcSiteDoctype, name))
  const act = (name: string, action: string, args: Record<string, unknown> = {}) =>
    part('running').documents.runAction(part('owner'), 'WPC Site', name, action, args)

  /** The job when it has ended; what its steps wait for is over at once. */
  async function ended(name: unknown): Promise<Job> {
    const isOver = (job: Job | null) => ['Done', 'Failed', 'Cancelled'].includes(job?.status ?? '')
    for (let last = ''; ;) {
      const job = await until(
        part('running').documents,
        JobDoctype,
        String(name),
        (now) => isOver(now) || (now?.modified !== last && now?.steps?.some(({ wait }) => wait) === true),
      )
      if (job && isOver(job)) return job
      last = job?.modified ?? ''
      clock.pass(20_000)
    }
  }

  return {
    ...{ faults, vendorTime, part, insert, siteNow, act, ended },
    async live(domain: string, more: object = {}): Promise<WpcSite> {
      const doc = await insert(domain, more)
      expect(await ended(doc.job)).toMatchObject({ status: 'Done', error_message: null })
      return (await siteNow(doc.name)) as WpcSite
    },
    /** What an action has become: its job, and the site after it. */
    async after(site: WpcSite, action: string, args: Record<string, unknown> = {}) {
      const { job } = (await act(site.name, action, args)) as { job: string }
      const { status, error_message } = await ended(job)
      return { status, error_message, site: await siteNow(site.name) }
    },
    /** Removes the document alone: the site stays at WP Cloud. */
    forget: (site: WpcSite) =>
      part('running').documents.transaction(systemSession(), (tx) => tx.delete(WpcSiteDoctype, site.name)),
    atVendor: (site: WpcSite) =>
      (vendor.contents() as { sites: { id: number; meta: Record<string, string> }[] }).sites.find(
        ({ id }) => String(id) === site.atomic_site_id,
      ),
  }
}
