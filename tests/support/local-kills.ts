/** Real sites whose process is killed (kill -9) at a chosen point and started again, on the same folder and database. */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { createProductDatabase } from './database.ts'
import { makeOrganization, untilEnded } from './jobs.ts'
import { ask, askAndKill, startLocalProcess, type Asked, type LocalPlace, type LocalProcess } from './local-process.ts'
import { addContent } from './local-content.ts'
import { makeLocalServer, makeLocalSite } from './local-sites.ts'

/** The sites, and the process that runs now. */
export interface LocalKills {
  /** The process that runs now: another one after each kill. */
  readonly now: LocalProcess
  readonly owner: Session
  readonly server: string
  readonly place: LocalPlace
  /** Makes a site with content, which is to be there unchanged after all kills. */
  makeLive(database?: SiteDatabaseKind): Promise<Site>
  siteNow(name: string): Promise<Site | null>
  /** Asks the running process, and waits for the job that this starts. */
  job(asked: Asked): Promise<Job>
  /**
   * Stops the running process; another one is asked and killed at the point, or by `until` as soon as something is visible
   * from outside. Then starts one again, and resolves with its last job of the type when that has ended.
   */
  killAt(type: string, point: string, asked: Asked, until?: (kill: () => void) => Promise<void>): Promise<Job>
  /**
   * The same with a kill at one point after the other, each in a process of its own that goes on with the job. After each kill,
   * `after` can have a process that works on no jobs.
   */
  killAtEach(
    type: string,
    points: readonly string[],
    asked: Asked,
    after?: (point: string, look: () => Promise<LocalProcess>) => Promise<void>,
  ): Promise<Job>
  /** Stops the running process in an orderly way, and starts one again. */
  restart(): Promise<void>
  /** What a change left beside the site's own files. */
  leftovers(site: Pick<Site, 'name'>): Promise<string[]>
  close(): Promise<void>
}

/** What the folder of a site at rest has. */
const usual = new Set([
  'www',
  'logs',
  'outbox',
  'access',
  'trash',
  'tokens',
  'site.json',
  'baseline',
  'rollback',
  'push-kept.sql',
  'pushed',
  'exports',
  'import.json',
  'temporary',
  'package-sums',
])

/** Opens a database and a folder without sites. */
export async function openLocalKills(
  engine: Partial<Pick<LocalPlace, 'cacheDir' | 'wordpressOrgUrl' | 'mysql' | 'awsS3'>> = {},
): Promise<LocalKills> {
  const database = await createProductDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'killed-'))
  await chmod(dataDir, 0o700)
  const start = (at: Partial<LocalPlace>, options: { readonly concurrency?: number } = {}) =>
    startLocalProcess(database.database, { engine: { ...at, dataDir, ...engine }, ...options })
  let now: LocalProcess | null = await start({})
  // The port is part of the sites' addresses.
  const place: LocalPlace = { dataDir, port: now.fixture.port, ...engine }
  const running = () => {
    if (now === null) throw new Error('No process runs now')
    return now
  }
  const owner = await makeOrganization(running().running.documents, 'acme')
  const server = await makeLocalServer(running().running.documents)
  const stop = async () => {
    await now?.stop()
    now = null
  }
  const kill = (point: string, asked: Asked | null, until?: (kill: () => void) => Promise<void>) =>
    askAndKill(point, {
      connection: database.connection,
      place,
      user: owner.user,
      organization: owner.organization ?? '',
      asked,
      ...(until === undefined ? {} : { until }),
    })
  const startAgain = async (type: string): Promise<Job> => {
    now = await start(place)
    const { documents } = now.running
    const [job] = await documents.transaction(systemSession(), (tx) =>
      tx.list(JobDoctype, [['job_type', '=', type]], { order_by: 'creation desc', limit: 1 }),
    )
    return untilEnded(documents, job?.name ?? '')
  }
  return {
    get now() {
      return running()
    },
    owner,
    server,
    place,
    async makeLive(database = 'sqlite') {
      const site = await makeLocalSite(running().running.documents, owner, {
        server,
        domain: 'killed',
        title: 'Killed',
        database,
      })
      await addContent(running().fixture, site)
      return site
    },
    siteNow: (name) => running().running.documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, name)),
    async job(asked) {
      const response = await ask(running(), owner, asked)
      return untilEnded(running().running.documents, String(response && Reflect.get(response, 'job')))
    },
    async killAt(type, point, asked, until) {
      await stop()
      await kill(point, asked, until)
      return startAgain(type)
    },
    async killAtEach(type, points, asked, after) {
      await stop()
      for (const [at, point] of points.entries()) {
        await kill(point, at === 0 ? asked : null)
        let looking: LocalProcess | null = null
        try {
          await after?.(point, async () => (looking ??= await start(place, { concurrency: 0 })))
        } finally {
          await (looking as LocalProcess | null)?.stop()
        }
      }
      return startAgain(type)
    },
    async restart() {
      await stop()
      now = await start(place)
    },
    async leftovers({ name }) {
      const folder = join(dataDir, 'local', 'sites', name)
      const found = (await readdir(folder)).filter((one) => !usual.has(one))
      const database = await listNames(join(folder, 'www', 'wp-content', 'database'))
      return [...found, ...database.filter((one) => one.startsWith('.ht.easydash-push'))]
    },
    async close() {
      await stop()
      await database.drop()
      await removeOutsideFolders(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
