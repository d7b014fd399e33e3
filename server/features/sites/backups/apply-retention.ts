import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { BackupScheduleDoctype, type BackupSchedule } from '#shared/doctypes/backup-schedule.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { Retention } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { discard, takenNow } from './discard.ts'
import { retainedOf } from './preview-retention.ts'
import { keptUntil } from './retention.ts'
import { scheduleOf } from './schedule-of.ts'

const retentionOf = (doc: BackupSchedule): Retention => ({
  keep_hourly: doc.keep_hourly ?? 0,
  keep_daily: doc.keep_daily ?? 0,
  keep_weekly: doc.keep_weekly ?? 0,
  keep_monthly: doc.keep_monthly ?? 0,
  keep_yearly: doc.keep_yearly ?? 0,
})

/** Deletes the backups that schedules no longer keep, of deleted sites those whose time has come, and says until when the others are kept. */
export async function applyRetention(deps: SitesDeps): Promise<number> {
  const run = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(systemSession('schedule'), work)
  const schedules = await run((tx) => tx.list(BackupScheduleDoctype, []))
  let deleted = 0
  for (const schedule of schedules) {
    const sites = await run((tx) =>
      tx.list(SiteDoctype, [
        schedule.site === null ? ['organization', '=', schedule.organization] : ['name', '=', schedule.site],
      ]),
    )
    for (const site of sites) {
      // What the schedule says now, not what it said when the sweep began.
      deleted += await discardEach(deps, async (tx) => {
        const now = await scheduleOf(tx, site)
        if (now?.name !== schedule.name || now.enabled !== 1) return []
        const place = { organization: site.organization, site: site.name }
        return (await retainedOf(tx, place, retentionOf(now), now.time_zone ?? 'Etc/UTC')).delete
      })
      await run(async (tx) => {
        if (wasChanged(deps, schedule) || (await hasPassed(deps, tx, site.name))) await recordEndsOf(deps, tx, site)
      })
    }
    if (schedule.site !== null) continue
    for (const site of await run((tx) => goneSites(tx, schedule.organization))) {
      const gone = { name: site, organization: schedule.organization }
      await run((tx) => recordEndsOf(deps, tx, gone, { isGone: true }))
      deleted += await discardEach(deps, (tx) => endedOf(deps, tx, gone))
    }
  }
  return deleted
}

/** Whether a schedule was stored since the sweep before: each backup says the ends of its site anew, too. */
const wasChanged = ({ clock = systemClock }: SitesDeps, { modified }: BackupSchedule): boolean =>
  parseTimestamp(modified) > clock.now() - 2 * 3_600_000

/** Whether a site was not backed up as its schedule says: then what was to end by now is kept. */
const hasPassed = async ({ clock = systemClock }: SitesDeps, tx: Tx, site: string): Promise<boolean> =>
  (await tx.count(SiteBackupDoctype, [...ready(site), ['expires', '<=', formatTimestamp(clock.now())]])) > 0

/** One at a time: whoever holds one backup waits for the full one that it builds on, and must hold no other. */
async function discardEach(deps: SitesDeps, oldOf: (tx: Tx) => Promise<readonly string[]>): Promise<number> {
  const run = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(systemSession('schedule'), work)
  let deleted = 0
  for (const name of await run(oldOf))
    deleted += await run(async (tx) => {
      const backup = await tx.get(SiteBackupDoctype, name, { lock: true })
      if (backup === null || backup.locked_by_job !== null) return 0
      // Since it was listed, it can have been pinned, or have become the last proven one.
      if (!(await oldOf(tx)).includes(name)) return 0
      await discard(deps, tx, backup, { bySweep: true })
      return 1
    })
  return deleted
}

/** Sites of an organization that are gone and have backups. */
async function goneSites(tx: Tx, organization: string): Promise<string[]> {
  const within = ['organization', '=', organization] as const
  const backups = await tx.listFields(SiteBackupDoctype, ['site'], [within, ['status', '=', 'Ready']])
  const sites = await tx.listFields(SiteDoctype, ['name'], [within])
  return [...new Set(backups.map(({ site }) => site)).difference(new Set(sites.map(({ name }) => name)))]
}

/** Backups of a site that is gone which are no longer kept. */
async function endedOf(
  { clock = systemClock }: SitesDeps,
  tx: Tx,
  { name: site, organization }: Pick<Site, 'name' | 'organization'>,
): Promise<string[]> {
  if (await tx.get(SiteDoctype, site)) return []
  const taken = await takenNow(tx, organization)
  const ended = await tx.listFields(
    SiteBackupDoctype,
    ['name'],
    [...ready(site), ['pinned', '=', 0], ['expires', '<=', formatTimestamp(clock.now())]],
  )
  return ended.map(({ name }) => name).filter((name) => !taken.has(name))
}

// EasyEngine removes its own ones by its own rule.
const ready = (site: string) =>
  [
    ['site', '=', site],
    ['status', '=', 'Ready'],
    ['kind', '!=', 'imported'],
  ] as const

/** Says until when the backups of a site are kept, if its schedule goes on as it is. */
export async function recordEndsOf(
  { clock = systemClock }: SitesDeps,
  tx: Tx,
  site: Pick<Site, 'name' | 'organization'>,
  { isGone = false }: { readonly isGone?: boolean } = {},
): Promise<void> {
  const schedule = await scheduleOf(tx, site)
  const fields = ['name', 'proof', 'pinned', 'taken_at', 'creation', 'expires'] as const
  const backups = await tx.listFields(SiteBackupDoctype, [...fields], [...ready(site.name)])
  const known = backups.map((backup) => ({ ...backup, at: parseTimestamp(backup.taken_at ?? backup.creation) }))
  const ends =
    schedule?.enabled === 1
      ? keptUntil(known, retentionOf(schedule), { ...schedule, site: site.name }, isGone ? null : clock.now())
      : new Map<string, number>()
  for (const { name, expires } of known) {
    const end = ends.get(name)
    const at = end === undefined ? null : formatTimestamp(end)
    if (at !== expires) await tx.updateColumns(SiteBackupDoctype, name, { expires: at })
  }
}
