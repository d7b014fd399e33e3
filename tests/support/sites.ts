/** The sites feature on the folder engine, with two organizations that share the machine. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Controller } from '#server/contracts/controller.ts'
import type { UploadKind, UploadStore } from '#server/contracts/resumable-upload.ts'
import type { Session } from '#server/contracts/session.ts'
import type { FakeEngineOptions } from '#server/engines/fake/fake-context.ts'
import { ownHost, type EngineHost } from '#server/engines/hosts.ts'
import type { SitesDeps } from '#server/features/sites/deps.ts'
import { createUploads } from '#server/features/uploads/uploads.ts'
import { createSites } from '#server/features/sites/sites.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { createProductDatabase } from './database.ts'
import { makeOrganization, shortPauses, startTestProcess, untilEnded, type TestProcess } from './jobs.ts'
import { createSiteEngine, type SiteEngine } from './site-engine.ts'
import { testSiteDeps } from './buckets.ts'

/** Setup for tests of sites. */
export interface TestSites {
  running: TestProcess
  engine: SiteEngine
  /** The machine of all servers. */
  host: EngineHost<'host'> & { readonly engine: SiteEngine }
  /** Folder of the engine's sites. */
  folder: string
  deps: SitesDeps
  /** Kinds of uploads of the running feature. */
  uploads: readonly UploadKind[]
  /** Uploads of these kinds. */
  uploadStore: UploadStore
  /** Owner of acme; `other` is the owner of globex. */
  owner: Session
  other: Session
  server: Server
  otherServer: Server
  /** Advances the feature's clock. */
  pass(ms: number): void
  /** Inserts a WordPress site on acme's server; `more` overrides values. */
  insert(domain: string, more?: Record<string, unknown>, session?: Session): Promise<AnyDoc>
  /** Inserts a site and waits until it is Live. */
  live(domain: string, more?: Record<string, unknown>): Promise<Site>
  siteNow(name: string): Promise<Site | null>
  /** Waits for the job in a response's `job` to end and returns it. */
  end(response: object | null): Promise<Job>
  act(
    site: string,
    action: string,
    args?: Record<string, unknown>,
    session?: Session,
  ): Promise<Record<string, unknown> | null>
  close(): Promise<void>
}

/** The error of a rejected call; null if it succeeded. */
export function rejectionOf(
  promise: Promise<unknown>,
): Promise<{ code: string; field?: string; message: string; excType?: string } | null> {
  return promise.then(
    () => null,
    (error: unknown) => error as { code: string; field?: string; message: string; excType?: string },
  )
}

/** Opens a database, two organizations and the feature, plus the given further controllers. */
export async function openTestSites(
  further: readonly Controller[] = [],
  /** Options of the engine, this process's machine if several share the database, and where AWS S3 is. */
  shared: { machine?: string; awsS3?: string } & Omit<FakeEngineOptions, 'folder'> = {},
): Promise<TestSites> {
  const database = await createProductDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'easydash-sites-'))
  const engine = createSiteEngine(folder, shared)
  const host = ownHost(engine)
  let now = Date.now()
  let deps: SitesDeps | null = null
  let uploads: readonly UploadKind[] = []
  let uploadStore: UploadStore | null = null
  const running = await startTestProcess(database.database, {
    clock: shortPauses,
    features: ({ jobs, documents, database }) => {
      deps = {
        documents,
        engines: { fake: engine },
        hosts: async () => [host],
        jobs: () => jobs,
        ...testSiteDeps(folder, shared.awsS3),
        ...(shared.machine ? { machine: shared.machine } : {}),
        clock: { ...systemClock, now: () => now },
      }
      const sites = createSites(deps)
      uploads = sites.uploads ?? []
      const sent = { database, kinds: () => uploads, folder: join(folder, 'uploads'), machine: 'this' }
      uploadStore = createUploads(sent).store
      // Tests run repeated work themselves.
      return { ...sites, controllers: [...sites.controllers, ...further], schedules: [] }
    },
  })
  const { documents } = running
  const serverOf = (organization: string) =>
    documents.transaction(systemSession(), (tx) =>
      tx.insert(ServerDoctype, {
        organization,
        hostname: 'testbox',
        engine: 'fake',
        engine_host: 'fake:this',
        status: 'Healthy',
      }),
    )
  const owner = await makeOrganization(documents, 'acme')
  const other = await makeOrganization(documents, 'globex')
  const server = await serverOf('acme')
  const otherServer = await serverOf('globex')

  const insert: TestSites['insert'] = (domain, more = {}, session = owner) =>
    documents.insert(session, 'Site', {
      domain,
      server: server.name,
      site_type: 'wp',
      title: "Ann's & Bob",
      admin_user: 'admin',
      admin_email: 'ann@acme.example',
      ...more,
    })
  const siteNow: TestSites['siteNow'] = (name) =>
    documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, name))
  const end: TestSites['end'] = (response) => untilEnded(documents, String(response && Reflect.get(response, 'job')))
  return {
    running,
    engine,
    host,
    folder,
    owner,
    other,
    server,
    otherServer,
    insert,
    siteNow,
    end,
    deps: deps as unknown as SitesDeps,
    uploads,
    uploadStore: uploadStore as unknown as UploadStore,
    pass: (ms) => {
      now += ms
    },
    async live(domain, more) {
      const doc = await insert(domain, more)
      const job = await end(doc)
      if (job.status !== 'Done') throw new Error(`The site ${domain} is not Live: ${String(job.error_message)}`)
      return (await siteNow(doc.name)) as Site
    },
    act: async (site, action, args = {}, session = owner) =>
      (await documents.runAction(session, 'Site', site, action, args)) as Record<string, unknown> | null,
    async close() {
      await running.stop()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
