import { controller, type Controller } from '#server/contracts/controller.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import { formatTimestamp, parseTimestamp, systemClock } from '#server/jobs/clock.ts'
import { LockedError } from '#server/jobs/waiting-jobs.ts'
import { systemSession } from '#server/jobs/session.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { BackupScheduleDoctype, type BackupSchedule } from '#shared/doctypes/backup-schedule.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { findEngine, requireCapability, serverOf } from '../engine-of.ts'
import { beginBackup, noteFailure } from './backup-job.ts'
import { recordEndsOf } from './apply-retention.ts'
import { dueBackups, endDue, isFull, passing, recordDue } from './due-backups.ts'
import { dueSince, isOpen, minutesBetween, minutesOf, nextCheck } from './local-time.ts'
import { sharingSites } from './preview-retention.ts'
import { storeOf } from './stores.ts'

/** Checks schedules, and says when they run next. */
export function scheduleController(deps: SitesDeps): Controller {
  const { clock = systemClock } = deps
  return controller(BackupScheduleDoctype, {
    async validate(doc, before, { tx }) {
      checkWindow(doc)
      if (doc.site !== null && doc.per_server !== 0)
        throw new AppError('invalid', msg`How many are made at the same time is set for the organization.`, {
          field: 'per_server',
        })
      if (doc.store !== null && doc.store !== before?.store) await storeOf(deps, tx, doc)
      const site = doc.enabled === 1 && doc.site !== null ? await tx.get(SiteDoctype, doc.site) : null
      // One that never backs up would look like one that does.
      if (site) await requireCapability(deps, tx, site, 'backup')
      // What was due since the last check still is if other things are changed.
      if (before && whenFields.every((name) => doc[name] === before[name])) return
      doc.next_run = doc.enabled === 1 ? formatTimestamp(nextCheck(doc, clock.now())) : null
      doc.checked_until = formatTimestamp(clock.now())
    },
    // Those of an organization can be many: the next sweep says until when they are kept.
    after_insert: (doc, { tx }) => endsAnew(deps, tx, doc),
    on_update: (doc, _before, { tx }) => endsAnew(deps, tx, doc),
    async after_delete(doc, { tx }) {
      await endsAnew(deps, tx, doc)
      if (doc.site !== null) return
      const ending = [
        ['organization', '=', doc.organization],
        ['status', '=', 'Ready'],
        ['expires', 'is', 'set'],
      ] as const
      await tx.updateWhere(SiteBackupDoctype, ending, { expires: null })
    },
  })
}

/** Says anew until when the backups of a site with a schedule of its own are kept. */
async function endsAnew(deps: SitesDeps, tx: Tx, { organization, site }: BackupSchedule): Promise<void> {
  if (site !== null) await recordEndsOf(deps, tx, { name: site, organization })
}

/** Fields that say when backups begin. */
const whenFields = ['enabled', 'every', 'at', 'time_zone', 'spread', 'window_from', 'window_until'] as const

/** Throws AppError `invalid` unless all sites of a schedule begin within its hours. */
function checkWindow({ every, at, spread, window_from, window_until }: BackupSchedule): void {
  const invalid = (message: LocalizedMessage, field: string) => new AppError('invalid', message, { field })
  if (at === null) throw invalid(msg`Enter a time like 03:00.`, 'at')
  if (window_from === null && window_until === null) return
  if (window_from === null || window_until === null)
    throw invalid(
      msg`Enter both times, or none for backups at any time.`,
      window_from === null ? 'window_from' : 'window_until',
    )
  const from = minutesOf(window_from)
  const length = minutesBetween(from, minutesOf(window_until))
  if (length < 60) throw invalid(msg`Enter a time at least an hour after ${window_from}.`, 'window_until')
  if (every === 'hour') return
  const before = minutesBetween(from, minutesOf(at))
  if (before >= length)
    throw invalid(msg`Enter a time from ${window_from} until ${window_until}, in which backups can begin.`, 'at')
  if (before + (spread ?? 0) > length)
    throw invalid(msg`Enter at most ${length - before} minutes: then it is ${window_until}.`, 'spread')
}

/** How long after its time a backup can begin: checks come a minute apart, a little later if much else is done. */
const graceMs = 120_000

/** A clock that was ahead looked at a time to come: what is due until then would be missed. */
async function setBack({ documents, clock = systemClock }: SitesDeps): Promise<void> {
  const now = clock.now()
  await documents().transaction(systemSession('schedule'), async (tx) => {
    const ahead = await tx.list(BackupScheduleDoctype, [
      ['enabled', '=', 1],
      ['checked_until', '>', formatTimestamp(now + graceMs)],
    ])
    for (const schedule of ahead)
      await tx.update(
        BackupScheduleDoctype,
        schedule.name,
        { checked_until: formatTimestamp(now), next_run: formatTimestamp(nextCheck(schedule, now)) },
        { hooks: false, activity: false },
      )
  })
}

/**
 * Begins the backups that are due. A run that was missed is made up for once. Sites that cannot begin yet, because of the limit of their
 * server, the hours of their schedule, or something of ours that works on them, stay due; what is stored says which do.
 */
export function backupSchedules(deps: SitesDeps): ScheduledWork {
  const { clock = systemClock, documents, log } = deps
  const run = <T>(work: (tx: Tx) => Promise<T>) => documents().transaction(systemSession('schedule'), work)

  /** Records the sites of a schedule that are due. */
  async function check(schedule: BackupSchedule): Promise<void> {
    const now = clock.now()
    await run(async (tx) => {
      // Whoever comes second finds it done.
      const due = await tx.get(BackupScheduleDoctype, schedule.name, { lock: true })
      if (due?.next_run === null || due?.next_run !== schedule.next_run) return
      await tx.update(
        BackupScheduleDoctype,
        schedule.name,
        {
          last_run: formatTimestamp(now),
          checked_until: formatTimestamp(now),
          next_run: formatTimestamp(nextCheck(due, now)),
        },
        { hooks: false, activity: false },
      )
      const since = due.checked_until === null ? parseTimestamp(due.next_run) - 1 : parseTimestamp(due.checked_until)
      await recordDue(tx, (await namesOf(tx, schedule)).filter(dueSince(due, since, now)), formatTimestamp(now))
    })
  }

  /** Sites that a schedule is for. */
  const namesOf = async (tx: Tx, { site, organization }: BackupSchedule): Promise<string[]> =>
    site === null ? sharingSites(tx, organization, ['Live', ...passing]) : [site]

  /** Begins what can begin of all that is due. */
  async function beginDue(): Promise<void> {
    const now = clock.now()
    const due = await run(dueBackups)
    if (due.length === 0) return
    const names = [...new Set(due.flatMap(({ schedule }) => schedule ?? []))]
    const read = await run((tx) => tx.list(BackupScheduleDoctype, [['name', 'in', names]]))
    const schedules = new Map(read.map((schedule) => [schedule.name, schedule]))
    const isClosed = (one: BackupSchedule) => one.enabled === 1 && !isOpen(one, now) && !isOpen(one, now - graceMs)
    const closed = new Set(read.filter(isClosed).map(({ name }) => name))
    const full = new Set<string>()
    for (const { site, server, schedule, limit } of due) {
      if (closed.has(schedule ?? '') || full.has(server)) continue
      if ((await begin(site, schedules.get(schedule ?? '') ?? null, limit)) === 'full') full.add(server)
    }
  }

  /** Begins the backup of a site that is due, and ends it being due; `full`: not now, its server has enough to do. */
  async function begin(name: string, schedule: BackupSchedule | null, limit: number): Promise<'full' | null> {
    try {
      return await run(async (tx) => {
        const site = await tx.get(SiteDoctype, name, { lock: true })
        if (!site || passing.includes(site.status)) return null
        // Nobody else decides the same until the transaction ends.
        if (limit > 0) await transactionLock(tx, `backups-on:${site.server}`)
        if (await isFull(tx, site.server, limit)) return 'full'
        if (!(await endDue(tx, name))) return null
        const engine = schedule?.enabled === 1 && site.status === 'Live' && findEngine(deps.engines, site)
        if (!engine || !capabilitiesOf(engine, await serverOf(tx, site)).backup.supported) return null
        await beginBackup(deps, tx, site, { kind: 'scheduled', store: schedule.store })
        return null
      })
    } catch (error) {
      // Something of ours works on the site, or backs it up: it begins after that.
      if (error instanceof LockedError || (error instanceof AppError && error.code === 'conflict')) return null
      log.error('A scheduled backup could not begin', { site: name, error })
      // What cannot be made now cannot be made in a minute, either; other errors are no reason to lose it.
      if (error instanceof AppError)
        await run(async (tx) => (await endDue(tx, name)) && (await noteFailure(deps, tx, name, error)))
      return null
    }
  }

  return {
    name: 'backups.schedules',
    everySeconds: 60,
    async run() {
      await setBack(deps)
      const due = await run((tx) =>
        tx.list(BackupScheduleDoctype, [
          ['enabled', '=', 1],
          ['next_run', '<=', formatTimestamp(clock.now())],
        ]),
      )
      for (const schedule of due)
        await check(schedule).catch((error: unknown) =>
          log.error('A backup schedule could not be checked', { schedule: schedule.name, error }),
        )
      await beginDue()
    },
  }
}
