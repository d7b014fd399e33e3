import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import { createDocuments } from '#server/documents/documents.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { redact } from '#server/platform/log/redact.ts'
import { createMailer, type Mailer } from '#server/platform/mail/mail.ts'
import { createSecrets, type Secrets } from '#server/platform/secrets/secrets.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import { createFeatures, type Features, type ProcessFigures } from './create-features.ts'
import type { Engine } from './engines/engine.ts'
import { collectParts, createLifecycle, listenersOf, assertTablesListed, type FeatureParts } from './feature-parts.ts'
import { createJobs, type OpenJobs } from './jobs/jobs.ts'
import { createRateLimiter, type RateLimiter } from './platform/rate-limit.ts'
import { featureTables } from './tables.ts'
import type { WebProcesses } from './web-processes.ts'

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
  figures?: ProcessFigures
  /** The other web processes of this port. */
  web?: Pick<WebProcesses, 'counters' | 'forget'> | null
  /** Number of jobs this process runs at once; 0 means it only queues them. */
  concurrency?: number
  /** More features; for tests of the mechanism. */
  further?: readonly Feature[]
}

/** The product without HTTP: documents and features, ready to be called. */
export interface Services extends Omit<Features, 'all'> {
  readonly documents: OpenDocuments
  /** Everything the features declare. */
  readonly parts: FeatureParts
  readonly jobs: OpenJobs
  readonly mailer: Mailer
  readonly rateLimiter: RateLimiter
  /** Starts the background work of features, then jobs, schedules and mail delivery. */
  start(): Promise<void>
  /** Stops them in reverse order; jobs continue after the next start. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Machine id of an installation with its own database. */
export const onlyMachine = 'this'

/** Opens documents and features on a migrated database. No background work is started yet. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, database, log, engines, figures, machine = onlyMachine } = options
  let store: OpenDocuments | null = null
  const documents = () => {
    if (!store) throw new Error('The document store is not open yet.')
    return store
  }
  const secrets = await createSecrets({ database, source: config, log })
  const rateLimiter = createRateLimiter({
    database,
    limits: config.rateLimits,
    ...(options.web ? { counters: options.web.counters } : {}),
  })
  const mailer = createMailer({ config, database, log, print: options.print })
  const created = createFeatures({
    config,
    database,
    log,
    engines,
    machine,
    figures,
    secrets,
    rateLimiter,
    forgetElsewhere: options.web?.forget,
    mailer,
    documents,
    jobs: () => jobs,
    uploadKinds: () => declared.uploads,
  })
  const features = [...created.all, ...(options.further ?? [])]
  const declared = collectParts(features, log)
  const jobs = createJobs({
    database,
    documents,
    log,
    definitions: declared.jobs,
    schedules: declared.schedules,
    hosts: Object.values(engines).map(({ name }) => engineHostOf(name, machine)),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  })
  const everything: Feature[] = [...features, jobs, mailer]
  const parts = collectParts(everything, log)
  assertTablesListed(everything, featureTables)
  store = jobs.takingTurns(await openDocuments({ database, log, secrets, rateLimiter }, parts))
  for (const listener of listenersOf(everything)) store.onEvent(listener)
  for (const feature of everything) await feature.prepare?.()
  const { all: _all, ...named } = created
  return {
    ...named,
    documents: store,
    parts,
    jobs,
    mailer,
    rateLimiter,
    ...createLifecycle(everything, log),
    close: () => documents().close(),
  }
}

function openDocuments(
  context: { database: Database; log: Log; secrets: Secrets; rateLimiter: RateLimiter },
  { controllers }: Pick<FeatureParts, 'controllers'>,
): Promise<OpenDocuments> {
  const { database, log, secrets, rateLimiter } = context
  return createDocuments({
    database,
    doctypes,
    log,
    mask: redact,
    spendBytes: (key, bytes) => rateLimiter.spend('written_bytes', key, bytes),
    controllers,
    secrets: {
      seal: (scope, aad, text) => secrets.seal({ scope, aad }, text),
      open: (scope, aad, sealed) => secrets.open({ scope, aad }, sealed),
    },
  })
}
