/** Sites on a simulated server with EasyEngine, whose jobs are worked on by processes that are killed (kill -9) at chosen points. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import type { WordPressState } from '#server/providers/simulator/easyengine/wordpress/state.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { createProductDatabase } from './database.ts'
import type { Moments } from './ee-moments.ts'
import { startEeServer, type EePlace, type EeServer } from './ee-server.ts'
import { insertEeServer, startEeSites, workAndKill } from './ee-sites.ts'
import { makeOrganization, until } from './jobs.ts'
import type { Until } from './killed-process.ts'
import { hashesOfFiles } from './local-content.ts'

/** What the simulated database of a WordPress holds, as far as tests look at it. */
type Content = Pick<WordPressState, 'options' | 'users' | 'posts' | 'pages' | 'comments'>

/** A thing that somebody acts on. */
interface Target {
  readonly doctype?: string
  readonly name: string
}

/** The server, and the processes. */
export interface EeKills {
  readonly server: EeServer
  /** Asks for jobs and looks at sites; others work on the jobs. */
  readonly running: Awaited<ReturnType<typeof startEeSites>>
  /** Asks for a WordPress. */
  create(domain: string, title: string): Promise<{ name: string; job: string }>
  /** Makes one; processes that work on it are killed at the points. */
  makeLive(domain: string, title: string, points?: readonly string[]): Promise<Site>
  siteNow(name: string): Promise<Site | null>
  refOf(site: Site): SiteRef
  /** A path on the server, of a file of a site. */
  path(site: Site, name: string): string
  write(site: Site, name: string, text: string): Promise<void>
  /** A file of a site; null without it. */
  read(site: Site, name: string): Promise<string | null>
  /** The content of its database, which can be changed. */
  readDatabase(site: Site): Promise<Content>
  writeDatabase(site: Site, content: Content): Promise<void>
  /** All of its files and its database: a hash by name. */
  fingerprint(site: Site): Promise<Readonly<Record<string, string>>>
  /** Asks for something, and returns the answer with the name of its job. */
  act(target: Target, action: string, args?: Record<string, unknown>): Promise<{ job: string } & Record<string, string>>
  cancel(job: string): Promise<void>
  /** Has a process work on a job until the point, or until `until` kills it. */
  killAt(point: string, job: string, until?: Until): Promise<void>
  /** Has processes work on a job, each of which is killed at the next of the points; the last one gets to its end. `after` looks after each kill. */
  work(job: string, points?: readonly string[], after?: (point: string) => Promise<void>): Promise<Job | null>
  /** What every job leaves behind: these sites at rest, and nothing that only a job needs, neither on the server nor here. */
  expectAtRest(sites: readonly string[]): Promise<void>
  close(): Promise<void>
}

const isOver = (one: Job | null) => ['Done', 'Failed', 'Cancelled'].includes(one?.status ?? '')

/** Fails unless a job did what it should. */
export const expectDone = (job: Job | null): void => expect([job?.status, job?.error_message]).toEqual(['Done', null])

/** Opens a database and a server without sites. */
export async function openEeKills(more: Pick<EePlace, 'awsS3' | 'triesOut'> = {}): Promise<EeKills> {
  const database = await createProductDatabase()
  const t = await startEeServer()
  const place = { ...t.place, ...more }
  const running = await startEeSites(database.database, place, { concurrency: 0 })
  const { documents } = running
  const owner = await makeOrganization(documents, 'acme')
  const inserted = await insertEeServer(running, t)
  const onServer = (name: string) => listNames(join(t.root, name))
  const siteNow = (name: string) => documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, name))
  const path = ({ domain }: Site, name: string) => join(t.root, 'opt/easyengine/sites', domain, 'app/htdocs', name)
  const databaseOf = async ({ name }: Site) => {
    const found = (await onServer('var/lib/simulated/databases')).find((one) => one.includes(name))
    return join(t.root, 'var/lib/simulated/databases', found ?? '')
  }
  const killAt = (point: string, job: string, until?: Until) =>
    workAndKill(point, { connection: database.connection, place, job }, until)
  const kills: EeKills = {
    ...{ server: t, running, siteNow, path, killAt },
    async create(domain, title) {
      const made = await documents.insert(owner, 'Site', {
        ...{ server: inserted.name, domain, site_type: 'wp', title },
        ...{ admin_user: 'ann', admin_email: 'ann@acme.example' },
      })
      return { name: made.name, job: String(made['job']) }
    },
    async makeLive(domain, title, points) {
      const { name, job } = await kills.create(domain, title)
      expectDone(await kills.work(job, points))
      return (await siteNow(name)) as Site
    },
    refOf: ({ name, domain, ssl }) => ({
      ...{ id: name, domain, siteType: 'wp', phpVersion: '8.3', server: t.server },
      isSecure: ssl !== null,
    }),
    async write(site, name, text) {
      await mkdir(dirname(path(site, name)), { recursive: true })
      await writeFile(path(site, name), text)
    },
    readDatabase: async (site) => JSON.parse(await readFile(await databaseOf(site), 'utf8')) as Content,
    writeDatabase: async (site, content) => writeFile(await databaseOf(site), JSON.stringify(content)),
    async fingerprint(site) {
      const { options, users, posts, pages, comments } = await kills.readDatabase(site)
      const rows = Object.entries({ ...options, users, posts, pages, comments })
      const database = rows.map(([name, value]) => [`database ${name}`, JSON.stringify(value)])
      return { ...(await hashesOfFiles(path(site, ''))), ...(Object.fromEntries(database) as Record<string, string>) }
    },
    read: (site, name) => readFile(path(site, name), 'utf8').catch(() => null),
    act: ({ doctype = 'Site', name }, action, args = {}) =>
      documents.runAction(owner, doctype, name, action, args) as Promise<{ job: string } & Record<string, string>>,
    async cancel(job) {
      await documents.runAction(owner, 'Job', job, 'cancel', {})
    },
    async work(job, points = [], after) {
      for (const point of points) {
        await killAt(point, job)
        await after?.(point)
      }
      let ended: Job | null = null
      await killAt('', job, async (kill) => {
        ended = await until(documents, JobDoctype, job, isOver)
        kill()
      })
      return ended
    },
    async expectAtRest(names) {
      const sites = await Promise.all(names.map(siteNow))
      for (const site of sites)
        expect(site).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null })
      const domains = sites.map((site) => site?.domain ?? '').toSorted()
      const volumes = domains.map((domain) => domain.replaceAll(/[.-]/g, ''))
      expect((await onServer('opt/easyengine/sites')).toSorted()).toEqual(domains)
      expect((await onServer('var/lib/easydash/sites')).toSorted()).toEqual(domains)
      expect(await onServer('var/lib/simulated/databases')).toHaveLength(names.length)
      const left = await onServer('var/lib/docker/volumes')
      expect(left.filter((name) => !volumes.some((volume) => name.startsWith(`${volume}_`)))).toEqual([])
      for (const folder of ['jobs', 'claims', 'packed', 'statements', 'proofs'])
        expect([folder, await onServer(join('var/lib/easydash', folder))]).toEqual([folder, []])
      for (const volume of volumes) {
        const beside = await onServer(join('var/lib/docker/volumes', `${volume}_htdocs`, 'easydash-restore'))
        expect(beside.filter((name) => !['state', 'wordpress', 'before'].includes(name))).toEqual([])
      }
      for (const site of sites) expect(await kills.read(site as Site, '.maintenance')).toBeNull()
      for (const folder of ['packed', 'imports', 'backups/work'])
        expect([folder, await listNames(join(t.place.folder, folder))]).toEqual([folder, []])
    },
    async close() {
      await running.stop()
      await t.end()
      await database.drop()
    },
  }
  return kills
}

/** Has a process work on a job, and kills it while the server is at a call; the server goes on. */
export async function killAtWork(t: EeKills, moments: Moments, job: string, call: string): Promise<void> {
  await moments.plan({ what: 'pause', when: 'after', call })
  await t.killAt('', job, async (kill) => {
    await moments.come()
    kill()
  })
}

/** Kills a job at one of its points, `look`s, has it canceled then, and kills it once more at the points of that. */
export async function killAndCancel(
  t: EeKills,
  { job, point, cancelPoints = cancelCrashPoints }: { job: string; point: string; cancelPoints?: readonly string[] },
  look: () => Promise<void> = async () => undefined,
): Promise<void> {
  const type = point.split('/')[0] ?? ''
  const ended = await t.work(job, [point, ...cancelPoints.map((one) => crashPointName(type, one))], async (killed) => {
    await look()
    if (killed === point) await t.cancel(job)
  })
  expect([ended?.status, ended?.error_message]).toEqual(['Cancelled', null])
}
