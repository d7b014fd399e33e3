/** The sites feature on the local engine: jobs that change real WordPress sites. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Documents, OpenDocuments } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { EngineFixture } from '#server/engines/local/engine-fixture.ts'
import type { LocalEngineOptions } from '#server/engines/local/local-engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { createProductDatabase } from './database.ts'
import { makeOrganization, untilEnded } from './jobs.ts'
import { addContent, fingerprintOf, wwwOf } from './local-content.ts'
import { startLocalProcess } from './local-process.ts'

/** A real WordPress with content, and the jobs that change it. */
export interface LocalSites {
  readonly fixture: EngineFixture
  readonly owner: Session
  /** Name of the server document. */
  readonly server: string
  readonly site: Site
  /** Folder of the site's files. */
  readonly www: string
  siteNow(): Promise<Site>
  /** As the owner, who has just confirmed their password. */
  act(action: string, args?: Record<string, unknown>): Promise<Record<string, unknown> | null>
  /** Runs an action that starts a job, and returns the ended job. */
  job(action: string, args?: Record<string, unknown>): Promise<Job>
  /** Retries a failed job, and returns it when it has ended again. */
  retry(job: Job): Promise<Job>
  /** Sends a file as a complete upload of a kind, for the site unless `metadata` says otherwise. */
  upload(kind: string, content: Buffer, metadata?: Readonly<Record<string, string>>): Promise<Record<string, unknown>>
  /** All sites there are. */
  sites(): Promise<Site[]>
  /** Status of the homepage for a visitor. */
  visit(): Promise<number>
  /** Everything the site consists of, its files and its content in the database: a hash by name. */
  fingerprint(): Promise<Readonly<Record<string, string>>>
  close(): Promise<void>
}

/** Opens a database and an engine, and creates a WordPress with posts, a serialized option, a comment and an upload. */
export async function openLocalSites(engine: Partial<LocalEngineOptions> = {}): Promise<LocalSites> {
  const database = await createProductDatabase()
  const process = await startLocalProcess(database.database, { engine })
  const { fixture, running } = process
  const { documents } = running
  const owner = await makeOrganization(documents, 'acme')
  const server = await makeLocalServer(documents)
  const site = await makeLocalSite(documents, owner, { server, domain: 'breakages', title: 'Breakages' })
  const siteNow = async (): Promise<Site> =>
    (await documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, site.name))) as Site
  await addContent(fixture, site)
  let uploaded = 0
  const act: LocalSites['act'] = async (action, args = {}) =>
    (await documents.runAction({ ...owner, reauthAt: Date.now() }, 'Site', site.name, action, args)) as Record<
      string,
      unknown
    > | null
  return {
    fixture,
    owner,
    server,
    site,
    www: wwwOf(fixture, site),
    siteNow,
    act,
    job: async (action, args) => untilEnded(documents, String((await act(action, args))?.['job'])),
    async retry({ name }) {
      await documents.runAction({ ...owner, reauthAt: Date.now() }, 'Job', name, 'retry', {})
      return untilEnded(documents, name)
    },
    async upload(kind, content, metadata = { site: site.name }) {
      uploaded += 1
      const path = join(fixture.dataDir, `upload-${uploaded}`)
      await writeFile(path, content)
      const sent = { id: String(uploaded).padStart(32, '0'), kind, fileName: 'a.zip', size: content.length, metadata }
      const found = process.sites.uploads?.find(({ name }) => name === kind)
      await found?.check(owner, sent)
      return { ...(await found?.finish(owner, sent, path)) }
    },
    sites: () => documents.transaction(systemSession(), (tx) => tx.list(SiteDoctype, [])),
    visit: async () => (await fixture.fetch(site, '/')).status,
    fingerprint: () => fingerprintOf(fixture, site),
    async close() {
      await process.stop()
      await database.drop()
    },
  }
}

/** A server of acme on the local engine; returns its name. */
export async function makeLocalServer(documents: Documents): Promise<string> {
  const server = await documents.transaction(systemSession(), (tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'testbox',
      engine: 'local',
      engine_host: 'local:test',
      status: 'Healthy',
    }),
  )
  return server.name
}

/** A site that is Live: WordPress, unless the values say otherwise. */
export async function makeLocalSite(
  documents: OpenDocuments,
  owner: Session,
  values: Pick<Site, 'server' | 'domain' | 'title'> &
    Partial<Pick<Site, 'site_type' | 'php_version' | 'multisite' | 'database'>>,
): Promise<Site> {
  const isWordPress = (values.site_type ?? 'wp') === 'wp'
  const doc = await documents.insert(owner, 'Site', {
    site_type: 'wp',
    php_version: '8.4',
    ...(isWordPress ? { admin_user: 'boss', admin_email: 'boss@acme.example' } : {}),
    ...values,
  })
  const created = await untilEnded(documents, String(Reflect.get(doc, 'job')))
  if (created.status !== 'Done') throw new Error(`The site was not created: ${String(created.error_message)}`)
  return (await documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, doc.name))) as Site
}
