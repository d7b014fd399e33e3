/** A process with jobs and sites on the fake engine: in the test itself, or as a child process that a test kills. */
import type { Session } from '#server/contracts/session.ts'
import { ownHost } from '#server/engines/hosts.ts'
import { createSites } from '#server/features/sites/sites.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { sessionOf } from './documents.ts'
import { startTestProcess, type TestProcess, type TestProcessOptions } from './jobs.ts'
import { createSiteEngine, type SiteEngine } from './site-engine.ts'
import { testSiteDeps } from './buckets.ts'

/** The process with its engine. */
export interface SiteProcess extends TestProcess {
  engine: SiteEngine
}

/** Starts a worker whose sites are stored in the folder. */
export async function startSiteProcess(
  database: Database,
  folder: string,
  options: TestProcessOptions = {},
): Promise<SiteProcess> {
  const engine = createSiteEngine(folder)
  const running = await startTestProcess(database, {
    ...options,
    features: ({ jobs, documents }) =>
      createSites({
        documents,
        engines: { fake: engine },
        hosts: async () => [ownHost(engine)],
        ...testSiteDeps(folder),
        jobs: () => jobs,
      }),
  })
  return { ...running, engine }
}

/** Instructions for a child process: one line of JSON in its environment. */
export interface ChildOrder {
  connection: PostgresConnection
  folder: string
  /** Site to create, and whether to cancel its job as soon as the named step was called. */
  site: { domain: string; server: string; organization: string; owner: string }
  /** Name of a site to clone instead of creating one. */
  cloneOf?: string
  /** Name of a site whose primary domain becomes `site.domain`, instead of creating one. */
  renames?: string
  cancelAt?: string
}

/** Name of the environment variable with the instructions. */
export const childOrder = 'EASYDASH_TEST_CHILD'

async function child(order: ChildOrder): Promise<void> {
  const database = openDatabase({ connection: order.connection, log: silentLog })
  const running = await startSiteProcess(database, order.folder)
  const { domain, server, organization, owner } = order.site
  const session: Session = sessionOf(owner, organization)
  const started =
    order.renames !== undefined
      ? await running.documents.runAction(session, 'Site', order.renames, 'change_domain', { domain })
      : order.cloneOf === undefined
        ? await running.documents
            .insert(session, 'Site', {
              domain,
              server,
              site_type: 'wp',
              title: 'A title',
              admin_user: 'admin',
              admin_email: 'a@acme.example',
            })
            .then((doc) => ({ site: doc.name, job: doc['job'] }))
        : await running.documents.runAction(session, 'Site', order.cloneOf, 'clone', { domain })
  process.stdout.write(`${JSON.stringify(started)}\n`)
  if (!order.cancelAt) return
  running.documents.onEvent((event) => {
    if (event.doctype !== 'Job' || !running.engine.begun.includes(`${domain}:${order.cancelAt}`)) return
    running.documents.runAction(session, 'Job', event.name, 'cancel', {}).catch(() => undefined)
  })
}

const order = process.env[childOrder]
if (order) await child(JSON.parse(order) as ChildOrder)
