import { join } from 'node:path'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { OrganizationSecrets } from '#server/contracts/organization-secrets.ts'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openCallsSchedule, tombstoneSweep } from '#server/documents/documents.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import { schemaIsCurrent } from '#server/platform/database/migrations.ts'
import type { ErrorStats } from '#server/platform/log/error-count.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Mailer } from '#server/platform/mail/mail.ts'
import { createCountryLookup } from '#server/platform/network/country-lookup.ts'
import { createCountries } from '#server/platform/network/country.ts'
import { openHashProcess } from '#server/platform/secrets/hash-process.ts'
import { createPasswordFunctions } from '#server/platform/secrets/passwords.ts'
import type { Secrets } from '#server/platform/secrets/secrets.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Engine } from './engines/engine.ts'
import { createAccounts, type Accounts } from './features/accounts/accounts.ts'
import { createActivity } from './features/activity/activity.ts'
import { createHeadExport, type HeadExport } from './features/activity/head-export.ts'
import { createBilling } from './features/billing/billing.ts'
import type { Payments } from './features/billing/deps.ts'
import { createConnections, type Connections } from './features/connections/connections.ts'
import { installationPrivateKey, installationPublicKey } from './features/connections/installation-key.ts'
import { createFiles, type Files } from './features/files/files.ts'
import { invitationsAtSignUp } from './features/organizations/invitations.ts'
import { createServerMetrics } from './features/metrics/server-metrics.ts'
import { createNotifications } from './features/notifications/notifications.ts'
import { createOrganizations } from './features/organizations/organizations.ts'
import type { ThumbnailStats, WordPressStats } from './features/platform/deps.ts'
import { createPlatform } from './features/platform/platform.ts'
import { createServers, type Servers } from './features/servers/servers.ts'
import { createSites, type Sites } from './features/sites/sites.ts'
import { claimUpload } from './features/uploads/claim-upload.ts'
import { createUploads, type Uploads } from './features/uploads/uploads.ts'
import { createViews } from './features/views/views.ts'
import { createWpcSites } from './features/wpc-sites/wpc-sites.ts'
import { systemClock } from './jobs/clock.ts'
import type { OpenJobs } from './jobs/jobs.ts'
import { oldLogSweep } from './jobs/log/log-store.ts'
import { safeFetch } from './platform/network/fetch.ts'
import type { RateLimiter } from './platform/rate-limit.ts'
import { stripeOf } from './stripe-of.ts'
import { schemaVersion } from './tables.ts'
import { version } from './version.ts'

/** Figures of this process that the platform admin sees next to the database. */
export interface ProcessFigures {
  errors(): ErrorStats
  wordpressVersions(): Promise<WordPressStats>
  thumbnails(): ThumbnailStats
  /** Bytes in memory of each of the other web processes. */
  webProcesses(): Promise<number[]>
}

/** What the features of a process are made of. */
export interface FeaturesContext {
  readonly config: Config
  readonly database: Database
  readonly log: Log
  readonly engines: Readonly<Record<string, Engine>>
  /** Id of this machine. */
  readonly machine: string
  /** Absent if nobody can request them. */
  readonly figures?: ProcessFigures | undefined
  readonly secrets: Secrets
  readonly rateLimiter: RateLimiter
  /** Drops cached sessions in the other web processes of this port. */
  readonly forgetElsewhere?: ((user: string | null) => Promise<void>) | undefined
  readonly mailer: Mailer
  /** Opened with the features' controllers, so it throws until then. */
  documents(): OpenDocuments
  /** Created with the features' job types, so it cannot be called before. */
  jobs(): OpenJobs
  /** The kinds all features declare, so it cannot be called before all are created. */
  uploadKinds(): readonly UploadKind[]
}

/** The features of a process. */
export interface Features {
  readonly accounts: Accounts
  readonly files: Files
  readonly uploads: Uploads
  /** Exports the state of the activity log outside the database. */
  readonly heads: HeadExport
  readonly servers: Servers
  readonly sites: Sites
  /** All of them, in the order in which they start. They stop in reverse. */
  readonly all: readonly Feature[]
}

/**
 * Scope of the data key that encrypts two-factor secrets and the installation's SSH key. A reserved slug, so deleting an
 * organization never deletes it.
 */
const accountsScope = 'accounts'

/** Creates the features. Their background work starts later. */
export function createFeatures(context: FeaturesContext): Features {
  const { config, database, log, engines, machine, documents } = context
  const accounts = accountsOf(context)
  const organizations = organizationsOf(context, accounts)
  const publicKey = () => installationPublicKey(database.db, sealed(context).seal)
  // People may add another key of the operator to their own machines; machines that are ordered get ours.
  const connections = connectionsOf(context, async () => config.defaultPublicKey ?? publicKey())
  const billing = createBilling({ documents, log, payments: paymentsOf(context) })
  const platform = platformOf(context, billing)
  const metrics = createServerMetrics({
    documents,
    engines,
    machine,
    machineTokens: accounts.machineTokens,
    rateLimiter: context.rateLimiter,
    url: config.url,
  })
  const servers = createServers({
    documents,
    engines,
    log,
    machine,
    config,
    installationKey: () => installationPrivateKey(database.db, sealed(context).open),
    jobs: context.jobs,
    rateLimiter: context.rateLimiter,
    publicKey,
    providerOf: connections.providerOf,
    withProvider: connections.withProvider,
    metrics,
    secrets: ofOrganizations(context),
    mailer: context.mailer,
    sender: config,
  })
  const sites = createSites({
    documents,
    engines,
    hosts: servers.hosts,
    log,
    machine,
    backupsFolder: join(config.dataDir, 'backups'),
    bucketOf: connections.bucketOf,
    gitHubOf: connections.gitHubOf,
    gitHubSecretOf: connections.gitHubSecretOf,
    async visitPublic(url, signal) {
      const { allowPrivateCidrs, addressMap } = config
      const { status, body } = await safeFetch(url, { profile: 'tenant', allowPrivateCidrs, addressMap, signal })
      return { status, body: body.toString('utf8') }
    },
    claimUpload: (tx, session, id, field) => claimUpload(tx, session, { id, machine, field }),
    jobs: context.jobs,
    dashboardHost: new URL(config.url).hostname,
    async installationKey() {
      await publicKey()
      return String(await installationPrivateKey(database.db, sealed(context).open))
    },
    bulkAtOnce: Math.min(2, config.sitesAwakeMax),
    secrets: ofOrganizations(context),
  })
  const files = createFiles({ documents, folder: join(config.dataDir, 'files'), machine })
  const uploads = createUploads({
    database,
    kinds: context.uploadKinds,
    folder: join(config.dataDir, 'uploads'),
    machine,
  })
  const heads = headExportOf(context)
  // The log of activity is recorded until everything else has stopped.
  const all: Feature[] = [
    accounts,
    organizations,
    connections,
    billing,
    platform,
    heads,
    servers,
    metrics,
    sites,
    createWpcSites({ documents, jobs: context.jobs, wpCloudOf: connections.wpCloudOf }),
    files,
    uploads,
    createActivity(),
    createNotifications({ documents, log, mailer: context.mailer, sender: config }),
    createViews(),
    {
      sweeps: [tombstoneSweep(database.db, doctypes), oldLogSweep(database.db)],
      schedules: [openCallsSchedule((session, work) => documents().transaction(session, work), systemSession())],
    },
  ]
  return { accounts, files, uploads, heads, servers, sites, all }
}

function accountsOf(context: FeaturesContext): Accounts {
  const { config, database, documents, mailer, rateLimiter, forgetElsewhere, log, secrets } = context
  const countries = createCountries(log)
  return createAccounts({
    config,
    database,
    documents,
    mailer,
    rateLimiter,
    forgetElsewhere,
    log,
    invitations: invitationsAtSignUp,
    countries,
    findCountry: createCountryLookup({ url: config.ipLookupUrl, countries, log }),
    hashing: createPasswordFunctions(openHashProcess(log).derive),
    secrets: {
      seal: (aad, text) => secrets.seal({ scope: accountsScope, aad }, text),
      open: (aad, sealed) => secrets.open({ scope: accountsScope, aad }, sealed),
    },
  })
}

function connectionsOf(
  { config, documents, rateLimiter, log }: FeaturesContext,
  publicKey: () => Promise<string>,
): Connections {
  return createConnections({
    config,
    documents,
    rateLimiter,
    log,
    publicKey,
  })
}

/** Secrets of the installation itself. */
const sealed = ({ secrets }: Pick<FeaturesContext, 'secrets'>) => ({
  seal: (aad: string, text: string) => secrets.seal({ scope: accountsScope, aad }, text),
  open: (aad: string, text: string) => secrets.open({ scope: accountsScope, aad }, text),
})

/** Secrets of organizations. */
const ofOrganizations = ({ secrets }: Pick<FeaturesContext, 'secrets'>): OrganizationSecrets => ({
  seal: (scope, aad, text) => secrets.seal({ scope, aad }, text),
  open: (scope, aad, sealed) => secrets.open({ scope, aad }, sealed),
})

function organizationsOf(
  { config, documents, mailer, rateLimiter, secrets }: FeaturesContext,
  accounts: Pick<Accounts, 'pendingEmail' | 'confirmInvited' | 'signInStatuses'>,
): Feature {
  return createOrganizations({
    config,
    documents,
    mailer,
    rateLimiter,
    pendingEmail: accounts.pendingEmail,
    confirmInvited: accounts.confirmInvited,
    signInStatuses: accounts.signInStatuses,
    forgetSecrets: (organization, trx) => secrets.forget(organization, trx),
  })
}

function paymentsOf({ config, mailer, rateLimiter }: FeaturesContext): Payments | null {
  const api = stripeOf(config)
  return api && { api, mailer, sender: config, rateLimiter }
}

function platformOf(
  { config, database, log, figures }: FeaturesContext,
  billing: Pick<ReturnType<typeof createBilling>, 'figuresOf' | 'paymentFigures'>,
): Feature {
  return createPlatform({
    config,
    database,
    log,
    version,
    schema: { version: schemaVersion, isCurrent: () => schemaIsCurrent(database.db, schemaVersion) },
    figuresOf: billing.figuresOf,
    payments: billing.paymentFigures,
    errors: () => figures?.errors() ?? null,
    wordpressVersions: async () => (await figures?.wordpressVersions()) ?? null,
    thumbnails: () => figures?.thumbnails() ?? null,
    webProcesses: async () => (await figures?.webProcesses()) ?? [],
  })
}

function headExportOf({ config, database, secrets, log, mailer }: FeaturesContext): HeadExport {
  return createHeadExport({
    db: database.db,
    dataDir: config.dataDir,
    seals: secrets,
    clock: systemClock,
    log,
    sender: config,
    send: (mail) => mailer.send(null, mail),
    // Without a mail server the checkpoint would be stored in the very database it is meant to verify.
    mailsCheckpoints: config.smtpUrl !== null && config.auditMail === 'on',
    url: config.auditHeadsUrl,
  })
}
