import { join } from 'node:path'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createDocuments, tombstoneSweep } from '#server/documents/documents.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Engine } from './engines/engine.ts'
import { createAccounts, type Accounts } from './features/accounts/accounts.ts'
import { createActivity } from './features/activity/activity.ts'
import { createHeadExport, type HeadExport } from './features/activity/head-export.ts'
import { createBilling } from './features/billing/billing.ts'
import { createConnections } from './features/connections/connections.ts'
import { createUploads, type Uploads } from './features/uploads/uploads.ts'
import { createFiles, type Files } from './features/files/files.ts'
import { invitationsAtSignUp } from './features/organizations/invitations.ts'
import { createOrganizations } from './features/organizations/organizations.ts'
import type { PicturesFigures, WordPressFigures } from './features/platform/deps.ts'
import { createPlatform } from './features/platform/platform.ts'
import { createPlanned } from './features/planned/planned.ts'
import { createServers } from './features/servers/servers.ts'
import { createSites, type Sites } from './features/sites/sites.ts'
import { createViews } from './features/views/views.ts'
import { systemClock } from './jobs/clock.ts'
import { createJobs, type OpenJobs } from './jobs/jobs.ts'
import type { Config } from '#server/platform/config/config.ts'
import { createCountryLookup } from '#server/platform/network/country-lookup.ts'
import { createCountries } from '#server/platform/network/country.ts'
import { oldLogSweep } from './jobs/log-store.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { ErrorFigures } from '#server/platform/log/error-count.ts'
import { openHashProcess } from '#server/platform/secrets/hash-process.ts'
import type { Log } from '#server/platform/log/log.ts'
import { createMailer, type Mailer } from '#server/platform/mail/mail.ts'
import { passwordsBy } from '#server/platform/secrets/passwords.ts'
import { schemaIsCurrent } from '#server/platform/database/migrations.ts'
import { createRateLimiter, type RateLimiter } from './platform/rate-limit.ts'
import { redact } from '#server/platform/log/redact.ts'
import { createSecrets } from '#server/platform/secrets/secrets.ts'
import { featureTables, schemaVersion } from './tables.ts'
import { collectParts, createLifecycle, listenersOf, refuseUnlistedTables, type FeatureParts } from './feature-parts.ts'
import { version } from './version.ts'

/** Dependencies of the services. The database must be migrated. */
export interface ServicesOptions {
  config: Config
  database: Database
  log: Log
  engines: Readonly<Record<string, Engine>>
  /** Id of this machine if several share the database; jobs of its sites run only in its own process. */
  machine?: string
  /** Prints emails to the terminal if no SMTP server is configured. */
  print: (text: string) => void
  /** Figures of this process that the platform admin sees next to the database; absent if nobody can request them. */
  facts?: { errors(): ErrorFigures; wordpressVersions(): Promise<WordPressFigures>; pictures(): PicturesFigures }
  /** Number of jobs this process runs at once; 0 means it only queues them. */
  concurrency?: number
  /** More features; for tests of the mechanism. */
  further?: readonly Feature[]
}

/** The product without HTTP: documents and features, ready to be called. */
export interface Services {
  readonly accounts: Accounts
  readonly documents: OpenDocuments
  readonly files: Files
  readonly uploads: Uploads
  /** Exports the state of the activity log outside the database. */
  readonly heads: HeadExport
  /** Everything the features declare. */
  readonly parts: FeatureParts
  readonly jobs: OpenJobs
  readonly mailer: Mailer
  readonly rateLimiter: RateLimiter
  readonly sites: Sites
  /** Starts the background work of features, then jobs, schedules and mail delivery. */
  start(): Promise<void>
  /** Stops them in reverse order; jobs continue after the next start. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Scope of the data key that encrypts two-factor secrets. A reserved slug, so deleting an organization never deletes it. */
const accountsScope = 'accounts'

/** Machine id of an installation with its own database. */
export const onlyMachine = 'this'

/** Opens documents and features on a migrated database. No background work is started yet. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, database, log, engines, machine = onlyMachine } = options
  let store: OpenDocuments | null = null
  const documents = () => {
    if (!store) throw new Error('The document store is not open yet.')
    return store
  }
  const secrets = await createSecrets({ database, source: config, log })
  const rateLimiter = createRateLimiter({ database, limits: config.rateLimits })
  const mailer = createMailer({ config, database, log, print: options.print })
  const countries = createCountries(log)
  const accounts = createAccounts({
    config,
    database,
    documents,
    mailer,
    rateLimiter,
    log,
    invitations: invitationsAtSignUp,
    countries,
    findCountry: createCountryLookup({ url: config.ipLookupUrl, countries, log }),
    hashing: passwordsBy(openHashProcess(log).derive),
    secrets: {
      seal: (aad, text) => secrets.seal({ scope: accountsScope, aad }, text),
      open: (aad, sealed) => secrets.open({ scope: accountsScope, aad }, sealed),
    },
  })
  const organizations = createOrganizations({
    config,
    documents,
    mailer,
    rateLimiter,
    pendingEmail: accounts.pendingEmail,
    signInFacts: accounts.signInFacts,
    forgetSecrets: async (organization, trx) => {
      if (organization !== accountsScope) await secrets.forget(organization, trx)
    },
  })
  const connections = createConnections({ config, documents, rateLimiter, log })
  const billing = createBilling({ config, documents, log })
  const platform = createPlatform({
    config,
    database,
    log,
    version,
    schema: { version: schemaVersion, isCurrent: () => schemaIsCurrent(database.db, schemaVersion) },
    figuresOf: billing.figuresOf,
    errors: () => options.facts?.errors() ?? null,
    wordpressVersions: async () => (await options.facts?.wordpressVersions()) ?? null,
    pictures: () => options.facts?.pictures() ?? null,
  })
  const sites: Sites = createSites({ documents, engines, log, machine, jobs: () => jobs })
  const servers = createServers({ documents, engines, log, machine, config })
  const files = createFiles({ documents, folder: join(config.dataDir, 'files'), machine })
  const uploads = createUploads({
    database,
    kinds: () => declared.uploads,
    folder: join(config.dataDir, 'uploads'),
    machine,
  })
  const heads = createHeadExport({
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
  // They start in this order and stop in reverse: the log of activity is recorded until everything else has stopped.
  const features: Feature[] = [
    accounts,
    organizations,
    connections,
    billing,
    platform,
    heads,
    servers,
    sites,
    files,
    uploads,
    createActivity(),
    createPlanned(),
    createViews(),
    { sweeps: [tombstoneSweep(database.db, doctypes), oldLogSweep(database.db)] },
    ...(options.further ?? []),
  ]
  const declared = collectParts(features, log)
  const jobs: OpenJobs = createJobs({
    database,
    documents,
    log,
    definitions: declared.jobs,
    schedules: declared.schedules,
    hosts: Object.values(engines).map((engine) => `${engine.name}:${machine}`),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  })
  const everything: Feature[] = [...features, jobs, mailer]
  const parts = collectParts(everything, log)
  refuseUnlistedTables(everything, featureTables)
  store = await createDocuments({
    database,
    doctypes,
    log,
    mask: redact,
    spendBytes: (key, bytes) => rateLimiter.spend('written_bytes', key, bytes),
    controllers: parts.controllers,
    secrets: {
      seal: (scope, aad, text) => secrets.seal({ scope, aad }, text),
      open: (scope, aad, sealed) => secrets.open({ scope, aad }, sealed),
    },
  })
  for (const listener of listenersOf(everything)) store.onEvent(listener)
  for (const feature of everything) await feature.prepare?.()
  return {
    accounts,
    documents: store,
    files,
    uploads,
    heads,
    parts,
    jobs,
    mailer,
    rateLimiter,
    sites,
    ...createLifecycle(everything, log),
    close: () => documents().close(),
  }
}
