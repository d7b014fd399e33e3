import { randomBytes } from 'node:crypto'
import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { maxOpenBackups, openMinutes } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, findEngine, translateEngineErrors, withFacetsOf } from '../engine-of.ts'
import { engineSteps } from '../job-parts.ts'
import { backupReference, fetchStep, removeWork, transferSeconds, workPath, writeBackup } from './backup-parts.ts'
import { rehearsalPlace } from './rehearsal-place.ts'

type OpenArgs = { readonly engine: string | null; readonly opened: SiteRef }

const closed: Partial<SiteBackup> = { opened_until: null, opened_by_job: null }

const untilFrom = ({ clock = systemClock }: SitesDeps) => clock.now() + openMinutes * 60_000

/** Opens a backup, which the caller's action holds, for visitors; or says where it is open already. */
export async function enqueueOpen(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<Opened> {
  const { name, organization } = backup
  const before = await openedOf(deps, tx, backup)
  if (before) return answerOf(before)
  await assertNotLocked(tx, backup)
  const { engine, place, siteOf } = await rehearsalPlace(deps, tx, backup)
  // Of two at once the second sees the first.
  await tx.get(OrganizationDoctype, organization, { lock: true })
  const open = await tx.count(SiteBackupDoctype, [
    ['organization', '=', organization],
    ['opened_until', '>', formatTimestamp((deps.clock ?? systemClock).now())],
  ])
  if (open >= maxOpenBackups)
    throw new AppError('limit_reached', msg`At most ${maxOpenBackups} backups can be open at once.`, {
      nextAction: msg`Wait until one of them is gone: each is after ${openMinutes} minutes.`,
    })
  const id = randomBytes(5).toString('hex')
  // Whoever has its address sees it.
  const opened = siteOf(id, 'backup')
  await deps.jobs().enqueue(tx, {
    type: 'site.open_backup',
    ...(await backupReference(tx, backup)),
    args: { engine, opened } satisfies OpenArgs,
    ...place,
  })
  const now = await tx.get(SiteBackupDoctype, name)
  const made = now && (await openedOf(deps, tx, now))
  if (!made) throw new Error(`The backup ${name} does not say where it is open.`)
  return answerOf(made)
}

/** Where a backup can be looked at, once its job is done. */
type Opened = {
  readonly job: string
  readonly url: string
  readonly until: string
}

const answerOf = ({ job, url, until }: Opened): Opened => ({ job, url, until })

/** Where a backup is open, or will be; null if it is not. */
async function openedOf(
  deps: SitesDeps,
  tx: Tx,
  { opened_until: until, opened_by_job: name }: SiteBackup,
): Promise<(Opened & { readonly engine: Engine; readonly site: SiteRef }) | null> {
  if (!until || until <= formatTimestamp((deps.clock ?? systemClock).now())) return null
  const job = name ? await tx.get(JobDoctype, name) : null
  const args = job?.args as OpenArgs | undefined
  const engine = args && findEngine(deps.engines, args)
  return job && engine ? { job: job.name, url: engine.siteUrl(args.opened), until, engine, site: args.opened } : null
}

/** Ends the time of the site that shows a backup which is deleted. What can't be removed now, the engine removes when its time is over. */
export async function closeOpened(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<void> {
  const open = await openedOf(deps, tx, backup)
  if (!open) return
  tx.afterCommit(() => {
    open.engine
      .destroy(open.site)
      .catch((error: unknown) =>
        deps.log.warn('The site that shows a deleted backup could not be removed', { backup: backup.name, error }),
      )
  })
}

/** `site.open_backup`: makes a site of a backup that visitors can look at for some time. */
export function openBackupJob(deps: SitesDeps): JobDefinition<OpenArgs> {
  async function takeBack(context: JobContext<OpenArgs>): Promise<void> {
    await engineFor(deps.engines, context.args).destroy(context.args.opened)
    await removeWork(deps, context.args.opened.id)
    await context.transaction((tx) => writeBackup(tx, context.referenceName, closed))
  }

  return {
    type: 'site.open_backup',
    label: ({ referenceTitle }) => `Open the backup of ${referenceTitle}`,
    deadlineSeconds: transferSeconds + 3_600,
    cancel: { possible: true },
    authorize: authorizeReference(SiteBackupDoctype, { action: 'open' }),
    queued: ({ job, referenceName }, tx) =>
      writeBackup(tx, referenceName, { opened_until: formatTimestamp(untilFrom(deps)), opened_by_job: job }),
    nextAction: () => msg`A test restore says what is wrong with the backup.`,

    async steps(context) {
      const engine = withFacetsOf(engineFor(deps.engines, context.args), 'rehearse')
      const { opened } = context.args
      return [
        fetchStep(deps, context.referenceName, opened.id),
        ...engineSteps(engine.rehearsals.rehearseSteps(opened, workPath(deps, opened.id))),
        {
          key: 'open',
          label: 'Let visitors in',
          async run(step) {
            await removeWork(deps, opened.id)
            // Its time begins now, however long it took to make it.
            const until = untilFrom(deps)
            await translateEngineErrors(engine.rehearsals.openRehearsal(opened, until))
            await step.transaction((tx) =>
              writeBackup(tx, step.referenceName, { opened_until: formatTimestamp(until) }),
            )
          },
        },
        {
          key: 'answer',
          label: 'Wait for its homepage',
          weight: 2,
          async run(step) {
            const { status, tookMs } = await translateEngineErrors(engine.request(opened, '/', { signal: step.signal }))
            step.log(`The homepage answered ${status} after ${(tookMs / 1000).toFixed(1)} s`)
            if (status >= 500)
              throw new AppError('unavailable', msg`The homepage of the backup answers with status ${status}.`)
          },
        },
      ]
    },

    async failed(context) {
      await takeBack(context)
      return 'undone'
    },

    async canceled(context) {
      await takeBack(context)
      return msg`the backup was not opened`
    },
  }
}
