import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { AnyDoc } from '#shared/doctype.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { PlatformSettingsDoctype, platformSettingsName } from '#shared/doctypes/platform-settings.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Config } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { demoAccounts, simulatorsFile, type DemoVendors } from './demo-vendors.ts'
import { demoBilling } from './demo-billing.ts'
import { demoFleet } from './demo-fleet.ts'
import { demoMetrics } from './demo-metrics.ts'
import { prepareCore } from './engines/local/core/core-cache.ts'
import { formatTimestamp } from './jobs/clock.ts'
import { systemSession } from './jobs/session.ts'
import type { Product } from './product.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { MemberInviteDoctype } from '#shared/doctypes/member-invite.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { phpVersions } from '#shared/doctypes/site.ts'

/** Password of every demo account, as listed in CONTRIBUTING.md. */
const password = 'Correct-Horse-42!'

interface Person {
  email: string
  name: [first: string, last: string]
  verified?: boolean
  platformAdmin?: boolean
}

const people: readonly Person[] = [
  { email: 'root@easydash.example', name: ['Robin', 'Vale'], platformAdmin: true },
  { email: 'owner@acme.example', name: ['Olivia', 'Hart'] },
  { email: 'admin@acme.example', name: ['Adam', 'Novak'] },
  { email: 'manager@acme.example', name: ['Mara', 'Lindt'] },
  { email: 'member@acme.example', name: ['Milo', 'Fischer'] },
  { email: 'owner@globex.example', name: ['Gwen', 'Farrow'] },
  { email: 'admin@globex.example', name: ['Gary', 'Stone'] },
  { email: 'both@example.com', name: ['Bo', 'Larsen'] },
  { email: 'nobody@example.com', name: ['Nia', 'Okafor'] },
  { email: 'unverified@example.com', name: ['Uma', 'Reyes'], verified: false },
]

const hour = 3_600_000

/** Titles of the sites, by their domain. */
const titles: Readonly<Record<string, string>> = {
  blog: 'Acme Studio Journal',
  shop: 'Acme Studio Shop',
  outdated: 'Harbor Bakery',
  'press.acme.example': 'Lindgren Press',
  'store.acme.example': 'North Pier Store',
  landing: 'Globex',
  docs: 'Globex Help Center',
}

/** PHP of the sites that have another than the rest: an outdated one, as far as this machine can run it. */
const oldPhp: Readonly<Record<string, string>> = { outdated: phpVersions[0] }

/** Accounts without an organization; they see the onboarding steps. */
const newcomers: readonly string[] = ['nobody@example.com', 'unverified@example.com']

/** A session as the session store builds it for a verified member. */
export function sessionOf(user: string, organization: string): Session {
  return {
    user,
    organization,
    kind: 'cookie',
    platformAdmin: false,
    verified: true,
    fullName: user,
    via: 'terminal',
    ip: null,
    id: null,
    reauthAt: null,
  }
}

/** Fills an empty installation with the demo organizations of CONTRIBUTING.md; returns when all sites are Live. */
export async function seedDemo(product: Product, config: Config, args: readonly string[]): Promise<void> {
  const { accounts } = product
  const { values } = parseArgs({
    args: [...args],
    options: { sites: { type: 'string' }, servers: { type: 'string' }, members: { type: 'string' } },
    strict: false,
  })
  // Sequential: each password hash needs 64 MiB.
  for (const { email, name, verified = true, platformAdmin = false } of people) {
    await accounts.createAccount({ email, password, first_name: name[0], last_name: name[1], verified, platformAdmin })
  }
  await organization(product, 'acme', 'Acme Studio', 'owner@acme.example')
  await organization(product, 'globex', 'Globex', 'owner@globex.example')
  await member(product, 'acme', 'admin@acme.example', 'Organization Admin')
  await member(product, 'acme', 'manager@acme.example', 'Organization Manager')
  await member(product, 'acme', 'member@acme.example', 'Organization User')
  await member(product, 'acme', 'both@example.com', 'Organization Manager')
  await member(product, 'globex', 'admin@globex.example', 'Organization Admin')
  await member(product, 'globex', 'both@example.com', 'Organization Admin')
  await product.documents.transaction(systemSession('terminal'), async (tx) => {
    await tx.update(PlatformSettingsDoctype, platformSettingsName, { plans_enabled: 1 })
    await tx.update(OrganizationDoctype, 'acme', {
      module_wpc: 1,
      site_limit_override: '7',
      server_limit_override: '5',
      local_engine: 1,
    })
    await tx.update(OrganizationDoctype, 'globex', { local_engine: 1 })
    await tx.update(UserMetaDoctype, 'both@example.com', { current_organization: 'acme' })
    // Existing colleagues have already seen the tour, which is offered to new users only.
    for (const { email } of people.filter((person) => !newcomers.includes(person.email)))
      await tx.update(UserMetaDoctype, email, { preferences: { tours_seen: ['onboardingv2'] } })
    await tx.insert(
      ServerDoctype,
      {
        organization: 'acme',
        hostname: 'web-1.acme.example',
        server_category: 'production',
        cloud_provider: 'Custom',
        public_ipv4: '192.0.2.24',
        cpu: 4,
        ram: 8 * 1024 ** 3,
        disk: 80 * 1024 ** 3,
        total_swap: 2 * 1024 ** 3,
        status: 'Disconnected',
        failure_reason: 'Nothing answers at 192.0.2.24: the connection to port 22 timed out.',
        failure_since: formatTimestamp(Date.now() - hour),
        checked_at: formatTimestamp(Date.now() - hour),
        _owner: 'owner@acme.example',
      },
      { owner: 'owner@acme.example' },
    )
  })
  await demoBilling(product, sessionOf('owner@acme.example', 'acme'), 'acme')
  const cloud = simulatedMachine(product, config)
  const made = await Promise.all([
    sites(product, sessionOf('owner@acme.example', 'acme'), ['blog', 'shop', 'outdated']),
    sites(product, sessionOf('owner@globex.example', 'globex'), ['landing', 'docs']),
  ])
  const shared = made[0][0]
  await product.documents.transaction(systemSession('terminal'), (tx) =>
    tx.insert(DocShareDoctype, {
      organization: 'acme',
      share_doctype: 'Site',
      share_name: shared,
      user: 'member@acme.example',
      read: 1,
    }),
  )
  await invitations(product)
  await cloud
  await demoMetrics(product)
  await product.sites.whenThumbnailsTaken()
  await product.sleepSites()
  const many = (text: unknown) => (typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : 0)
  if (values.sites !== undefined) {
    const size = { sites: many(values.sites), servers: many(values.servers), members: many(values.members) }
    const owner = 'owner@fleet.example'
    await accounts.createAccount({ email: owner, password, first_name: 'Fay', last_name: 'Marsh' })
    await organization(product, 'fleet', 'Fleet Hosting', owner)
    await demoFleet(product, owner, size)
  }
}

/** Creates an organization as its owner would. */
async function organization({ documents }: Product, slug: string, title: string, owner: string): Promise<void> {
  await documents.insert({ ...sessionOf(owner, slug), organization: null }, 'Organization', { slug, title })
}

async function member({ documents }: Product, slug: string, user: string, role: OrganizationRole): Promise<void> {
  await documents.transaction(systemSession('terminal'), async (tx) => {
    await tx.insert(OrganizationMemberDoctype, {
      parent: slug,
      parentfield: 'members',
      parenttype: 'Organization',
      user,
      organization_role: role,
    })
    await tx.update(UserMetaDoctype, user, { current_organization: slug })
  })
}

/** Connects acme to the simulated vendors, and orders a server there. */
async function simulatedMachine(product: Product, config: Config): Promise<void> {
  const { documents } = product
  const folder = process.env['EASYDASH_DATA_DIR'] ?? ''
  const vendors = JSON.parse(await readFile(join(folder, simulatorsFile), 'utf8')) as DemoVendors
  const owner = sessionOf('owner@acme.example', 'acme')
  for (const account of demoAccounts(vendors)) {
    const { name } = await documents.insert(owner, 'Connection', { organization: 'acme', ...account })
    await documents.runAction(owner, 'Connection', name, 'test', {})
  }
  const { job } = await documents.insert(owner, 'Server', {
    organization: 'acme',
    hostname: 'cloud-1.acme.example',
    server_category: 'development',
    cloud_provider: 'Hetzner',
    vm_country: 'DE',
    vm_region: 'fsn1',
    vm_type: 'cx23',
  })
  await waitForJob(product, owner, String(job))
  await linkWordPress(config, join(folder, 'simulated', 'wordpress'))
  const [server] = await documents.list(owner, 'Server', { filters: { hostname: 'cloud-1.acme.example' } })
  await sites(product, owner, ['press.acme.example', 'store.acme.example'], String(server?.['name']))
}

/** Makes new sites of simulated servers of the WordPress that this machine has, so that their backups can be started here. */
async function linkWordPress({ cacheDir, wordpressOrgUrl }: Config, path: string): Promise<void> {
  const quiet = { log: () => undefined, progress: () => undefined, signal: AbortSignal.timeout(600_000) }
  const { files } = await prepareCore(cacheDir, wordpressOrgUrl, quiet, silentLog)
  await symlink(files, path)
}

/** Two pending invitations and one that expired. */
async function invitations({ documents }: Product): Promise<void> {
  const owner = sessionOf('owner@acme.example', 'acme')
  await documents.insert(owner, 'Member Invite', { user: 'late@example.com', organization: 'acme' })
  await documents.insert(owner, 'Member Invite', { user: 'nobody@example.com', organization: 'acme' })
  await documents.insert(owner, 'Member Invite', {
    user: 'mia@example.com',
    organization: 'acme',
    organization_role: 'Organization Manager',
  })
  await documents.transaction(systemSession('terminal'), async (tx) => {
    const late = await tx.find(MemberInviteDoctype, [['user', '=', 'late@example.com']])
    const yesterday = formatTimestamp(Date.now() - 86_400_000)
    if (late)
      await tx.update(MemberInviteDoctype, late.name, { status: 'expired', expires: yesterday }, { hooks: false })
  })
}

/** Creates real WordPress sites through the same path as a user, one at a time. */
async function sites(product: Product, session: Session, names: readonly string[], server?: string): Promise<string[]> {
  const { documents } = product
  const [local] = await documents.list(session, 'Server', { filters: { engine: 'local' } })
  const made: string[] = []
  for (const domain of names) {
    const site = await documents.insert(session, 'Site', {
      domain,
      server: server ?? local?.['name'],
      site_type: 'wp',
      php_version: oldPhp[domain] ?? '8.4',
      title: titles[domain] ?? domain,
      admin_user: session.user.split('@')[0],
      admin_email: session.user,
    })
    await waitForJob(product, session, site['job'] as string)
    made.push(site.name)
  }
  return made
}

/** Resolves when the job completes; throws its reason if it failed. */
export function waitForJob({ documents }: Product, session: Session, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let off: () => void = () => undefined
    const look = async () => {
      const job = (await documents.get(session, 'Job', name)) as AnyDoc & Job
      if (job.status === 'Done') resolve()
      else if (job.status === 'Failed' || job.status === 'Cancelled')
        reject(new Error(`${job.label}: ${job.error_message ?? job.status}`))
      else return
      off()
    }
    off = documents.onEvent((event) => {
      if (event.doctype === 'Job' && event.name === name) look().catch(reject)
    })
    look().catch(reject)
  })
}
