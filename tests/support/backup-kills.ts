/** A real site that is backed up, proven and restored by processes that are killed (kill -9) at chosen points. */
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { afterEffects, beforeEffects } from './effects.ts'
import { untilEnded } from './jobs.ts'
import { fingerprintOf } from './local-content.ts'
import { openLocalKills, type LocalKills } from './local-kills.ts'
import type { LocalProcess } from './local-process.ts'

const rehearsing = ['prepare_core', 'unpack', 'import_database', 'replace_urls', 'ready']
const making = ['begin', 'pack', 'store', 'remove']
const steps = {
  'site.backup': making,
  'site.prove_backup': ['fetch', ...rehearsing, 'judge', 'screenshot', 'clean_up'],
  'site.restore_backup': [
    'fetch',
    ...rehearsing.map((key) => `rehearse_${key}`),
    ...['pause', 'copy_files', 'replace_urls', 'flush_caches', 'check', 'clean_up', 'measure', 'check_page', 'open'],
  ],
  'site.undo_restore': ['pause', 'swap', 'check_page', 'open'],
  'site.import': [
    ...[
      'fetch',
      'take',
      'prepare_core',
      'copy_files',
      'import_database',
      'replace_urls',
      'settle',
      'check',
      'check_page',
    ],
    ...['compare', 'clean_up'],
  ],
  // Those of the backup before it, and where the change begins; its others are covered without a backup.
  'site.change_core': ['backup', ...making.map((key) => `backup_${key}`), 'backup_keep', 'target', 'replace'],
} as const

/** Types of the jobs. */
export type BackupJob = keyof typeof steps

/** See `beforeEffects`. */
export const beforeEachEffect = (type: BackupJob): string[] => beforeEffects(type, steps[type])

/** See `afterEffects`. */
export const afterEachEffect = (type: BackupJob, within?: Readonly<Record<string, readonly string[]>>): string[] =>
  afterEffects(type, steps[type], within)

/** A site by name of what it consists of. Without its configuration, which a restore writes anew. */
export type Fingerprint = Readonly<Record<string, string>>

/** The site, its backups, and the processes. */
export interface BackupKills {
  readonly kills: LocalKills
  readonly site: Site
  fingerprint(process?: LocalProcess): Promise<Fingerprint>
  /** Newest first. */
  backups(): Promise<SiteBackup[]>
  /** Names in a folder of the stored backups. */
  inFolder(name: string): Promise<string[]>
  /** Makes a backup, and waits for its proof. */
  backUp(): Promise<SiteBackup>
  /** Removes what nothing describes, as if it was old enough that no job can be at work with it. */
  sweep(): Promise<void>
  /** Cancels the last job of a type. */
  cancel(process: LocalProcess, type: BackupJob): Promise<void>
  /**
   * What every job leaves behind: the site at rest, and an archive with its lists for each backup that is ready. Besides, there are these other
   * sites (their ids), and nothing else.
   */
  expectAtRest(others?: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Fails unless a job did what it should. */
export const expectDone = (job: Job): void => expect([job.status, job.error_message]).toEqual(['Done', null])

/** Makes a site with content, which has no backup yet. */
export async function openBackupKills(
  engine: Parameters<typeof openLocalKills>[0] = {},
  database: SiteDatabaseKind = 'sqlite',
): Promise<BackupKills> {
  const kills = await openLocalKills(engine)
  const site = await kills.makeLive(database)
  const transaction: LocalProcess['running']['documents']['transaction'] = (session, run) =>
    kills.now.running.documents.transaction(session, run)
  const backups = () =>
    transaction(systemSession(), (tx) =>
      tx.list(SiteBackupDoctype, [['site', '=', site.name]], { order_by: 'creation desc' }),
    )
  const inLocal = (name: string) => join(kills.place.dataDir, 'local', name)
  const inFolder = (name: string) => listNames(join(kills.place.dataDir, 'backups', name))

  async function expectAtRest(others: readonly string[] = []): Promise<void> {
    const { documents } = kills.now.running
    for (const { name } of await transaction(systemSession(), (tx) => tx.list(JobDoctype, [])))
      await untilEnded(documents, name)
    const at = { status: 'Live', locked_by_job: null, failure_reason: null }
    expect((await kills.now.fixture.fetch(site, '/')).status).toBe(200)
    // A process that was stopped can have seen itself not answer; the next one looks once the site is awake.
    await vi.waitFor(async () => expect(await kills.siteNow(site.name)).toMatchObject(at), 60_000)
    expect(await kills.leftovers(site)).toEqual([])
    expect((await readdir(inLocal('sites'))).toSorted()).toEqual([site.name, ...others].toSorted())
    expect(await listNames(inLocal('imports'))).toEqual([])
    expect(await inFolder('work')).toEqual([])
    const all = await backups()
    for (const one of all) expect(one).toMatchObject({ status: 'Ready', locked_by_job: null })
    const names = all.map(({ name }) => name).toSorted()
    expect((await inFolder('store')).toSorted()).toEqual(names.map((name) => `${name}.tar.zst.age`))
    for (const list of ['pieces', 'contents'])
      expect((await inFolder(list)).toSorted()).toEqual(names.map((name) => `${name}.zst.age`))
  }

  return {
    kills,
    site,
    backups,
    inFolder,
    expectAtRest,
    async fingerprint(process = kills.now) {
      const { '/wp-config.php': _configuration, ...others } = await fingerprintOf(process.fixture, site)
      return others
    },
    async backUp() {
      expectDone(await kills.job({ name: site.name, action: 'backup' }))
      await expectAtRest()
      const [backup] = await backups()
      if (backup === undefined) throw new Error('There is no backup')
      return backup
    },
    async sweep() {
      const old = new Date(Date.now() - 30 * 3_600_000)
      for (const folder of ['store', 'pieces', 'contents', 'work'])
        for (const name of await inFolder(folder))
          await utimes(join(kills.place.dataDir, 'backups', folder, name), old, old)
      for (const { run } of kills.now.sites.sweeps ?? []) await run()
    },
    async cancel({ running: { documents } }, type) {
      const [job] = await documents.transaction(systemSession(), (tx) =>
        tx.list(JobDoctype, [['job_type', '=', type]], { order_by: 'creation desc', limit: 1 }),
      )
      await documents.runAction(kills.owner, 'Job', job?.name ?? '', 'cancel', {})
    },
    close: () => kills.close(),
  }
}
