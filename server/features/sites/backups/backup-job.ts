import { dirname, join } from 'node:path'
import type { JobContext, JobDefinition, JobFailure, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { PackedSite } from '#server/engines/site-backups.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { siteReference } from '#shared/rules/display-name.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import { localBackups } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { requireCapability, translateEngineErrors } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { authorizeSite, engineSteps, siteAndEngine, type SiteJobArgs } from '../job-parts.ts'
import { recordEndsOf } from './apply-retention.ts'
import { backupIdentity } from './archive-cipher.ts'
import { backupOf, removeWork, saidOf, showAtSite, transferSeconds, workPath, writeBackup } from './backup-parts.ts'
import { writeContents } from './contents.ts'
import { discard } from './discard.ts'
import { storeArchive } from './increments/store-archive.ts'
import { beginProof } from './prove-job.ts'
import { received, sealingOf } from './receive-archive.ts'
import { storeOf } from './stores.ts'

type BackupArgs = SiteJobArgs & { readonly backup: string }

/** Those of its steps. */
export const backupSeconds = 21_600

type Given = Partial<Pick<SiteBackup, 'kind' | 'note' | 'pinned' | 'store'>>

/**
 * Begins a backup of a site; without a store in that of the organization. Throws AppError `conflict` while another one of it is not
 * finished, `invalid` (field `store`) if there is no such store, `unsupported` with the reason for a site that can't be backed up.
 */
export async function beginBackup(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  values: Given,
): Promise<{ name: string; job: string }> {
  const backup = await insertBackup(deps, tx, site, values)
  const { job } = await enqueueFor(deps, tx, site, 'site.backup', { backup })
  return { name: backup, job }
}

/** Records a scheduled backup that could not begin, and tells of it: without a job nobody else does. */
export async function noteFailure(
  { clock = systemClock }: SitesDeps,
  tx: Tx,
  name: string,
  { localized, nextAction }: AppError,
): Promise<void> {
  const site = await tx.get(SiteDoctype, name)
  if (site === null) return
  const message = nextAction ? msg`${localized} ${nextAction}` : localized
  const said = serializeMessage('error_message', message)
  const { organization, domain: site_domain, site_type, server } = site
  const made = await tx.insert(SiteBackupDoctype.name, {
    ...{ organization, site: name, site_domain, site_type, server, kind: 'scheduled', status: 'Failed', ...said },
  })
  await showAtSite(tx, name, { backup_failed_at: formatTimestamp(clock.now()) })
  await tx.activity({
    action: 'Site.backup_failed',
    result: 'Failed',
    ...siteReference(site),
    after: { backup: made.name, ...said },
  })
}

/** The backup of a site that is being made, or is going to be; null if there is none. */
export const unfinishedBackup = (tx: Tx, site: string): Promise<SiteBackup | null> =>
  tx.find(SiteBackupDoctype, [
    ['site', '=', site],
    ['status', 'in', ['Queued', 'Running']],
  ])

/** Inserts a backup that a job is going to make; throws like `beginBackup`. */
export async function insertBackup(deps: SitesDeps, tx: Tx, site: Site, values: Given): Promise<string> {
  await requireCapability(deps, tx, site, 'backup')
  if (await unfinishedBackup(tx, site.name))
    throw new AppError('conflict', msg`A backup of this site is being made already.`, {
      nextAction: msg`Wait until it has ended.`,
    })
  const store = values.store ?? (await tx.get(OrganizationDoctype, site.organization))?.backup_store ?? localBackups
  await storeOf(deps, tx, { organization: site.organization, store })
  const backup = await tx.insert(SiteBackupDoctype.name, {
    organization: site.organization,
    site: site.name,
    site_domain: site.domain,
    site_type: site.site_type,
    server: site.server,
    ...values,
    store,
  })
  return backup.name
}

/** Steps that make a backup of the site of a job, whose name they ask for as they run. At their end its archive is stored. */
export async function makingSteps(
  deps: SitesDeps,
  context: JobContext<SiteJobArgs>,
  name: () => Promise<string>,
): Promise<JobStepDefinition[]> {
  const { site, engine } = await siteAndEngine(deps, context, 'backup')
  const show = async (values: Partial<SiteBackup>) => {
    const backup = await name()
    await context.transaction((tx) => writeBackup(tx, backup, values))
  }
  return [
    {
      key: 'begin',
      label: 'Begin',
      weight: 0,
      async run(step) {
        // Of an attempt before: what came to the site since is not in it, and others can need it as it is.
        if ((await backupOf(step, await name())).sha256 !== null)
          throw new AppError('conflict', msg`The backup of the first attempt was stored, and is of that time.`, {
            nextAction: msg`Begin anew: this makes another backup.`,
          })
        await show({ status: 'Running', taken_at: formatTimestamp((deps.clock ?? systemClock).now()) })
      },
    },
    ...engineSteps(
      engine.backups.direct?.packSteps(site, async () => sealingOf(deps, context, await name())) ??
        engine.backups.packSteps(site),
    ),
    {
      key: 'store',
      label: 'Store the archive, encrypted',
      weight: 2,
      deadlineSeconds: transferSeconds,
      async run(step) {
        // It was stored, and ended before that was recorded: what it was stored of can be gone.
        const backup = await name()
        if ((await backupOf(step, backup)).sha256 !== null) return
        const sealed = await translateEngineErrors(engine.backups.direct?.packed(site) ?? Promise.resolve(null))
        await show(
          sealed
            ? await received(deps, backup, sealed, step)
            : await stored(deps, backup, await translateEngineErrors(engine.backups.packed(site)), step),
        )
      },
    },
    // Whoever is ended in the middle of it has stored the backup.
    {
      key: 'remove',
      label: 'Remove what was packed',
      weight: 0,
      deadlineSeconds: 600,
      run: async () => removeParts(deps, context, await name()),
    },
  ]
}

/** What of it is shown once it is stored: it is ready, and its proof begins, where there can be one. */
export async function finishBackup(deps: SitesDeps, tx: Tx, site: string, backup: string): Promise<void> {
  if ((await tx.get(SiteBackupDoctype, backup))?.status === 'Ready') return
  await writeBackup(tx, backup, { status: 'Ready' })
  await showAtSite(tx, site, { backup_failed_at: null })
  const made = await tx.get(SiteDoctype, site)
  if (made) await recordEndsOf(deps, tx, made)
  await beginProof(deps, tx, backup)
}

/** Removes what was put together here and on the machine of the site. What can't be removed now goes with the next backup of the site. */
async function removeParts(deps: SitesDeps, context: JobContext<SiteJobArgs>, backup: string): Promise<void> {
  await removeWork(deps, backup)
  try {
    const { site, engine } = await siteAndEngine(deps, context, 'backup')
    await engine.backups.removePacked(site)
  } catch (error) {
    deps.log.warn('What was packed for a backup could not be removed', { backup, error })
  }
}

/**
 * Notes why a backup was not made; one that is stored is made, whatever failed after that. Otherwise what was packed is gone, so that a
 * retry has to begin anew.
 */
export async function failBackup(
  deps: SitesDeps,
  context: JobContext<SiteJobArgs>,
  backup: string,
  { message, nextAction }: JobFailure,
): Promise<'undone' | 'finished'> {
  // What is stored of it is found by the sweep: a store that failed can't be asked to remove it now.
  const isStored = await context.transaction(async (tx) => {
    const made = await tx.get(SiteBackupDoctype, backup, { lock: true })
    if (made?.sha256 != null) {
      await finishBackup(deps, tx, context.referenceName, backup)
      return true
    }
    await writeBackup(tx, backup, {
      status: 'Failed',
      ...{ chain: null, needs: null },
      ...serializeMessage('error_message', msg`${message} ${nextAction}`),
    })
    const backup_failed_at = formatTimestamp((deps.clock ?? systemClock).now())
    await showAtSite(tx, context.referenceName, { backup_failed_at })
    return false
  })
  await removeParts(deps, context, backup)
  return isStored ? 'finished' : 'undone'
}

/** Forgets a backup that was not made because nobody wanted it any more. */
export async function dropBackup(deps: SitesDeps, context: JobContext<SiteJobArgs>, backup: string): Promise<void> {
  await context.transaction(async (tx) => {
    const unmade = await tx.get(SiteBackupDoctype, backup, { lock: true })
    if (unmade) await discard(deps, tx, unmade, { activity: false })
  })
  await removeParts(deps, context, backup)
}

/** `site.backup`: packs the site, encrypts and stores the archive, and has it proven. */
export function backupJob(deps: SitesDeps): JobDefinition<BackupArgs> {
  return {
    type: 'site.backup',
    label: ({ referenceTitle }) => `Back up ${referenceTitle}`,
    deadlineSeconds: backupSeconds,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`The site was not changed. Try again.`,

    queued: ({ args }, tx) =>
      writeBackup(tx, args.backup, { status: 'Queued', ...serializeMessage('error_message', null) }),

    steps: (context) => makingSteps(deps, context, async () => context.args.backup),

    done: ({ args, referenceName }, tx) => finishBackup(deps, tx, referenceName, args.backup),

    failed: (context, failure) => failBackup(deps, context, context.args.backup, failure),

    async canceled(context) {
      await dropBackup(deps, context, context.args.backup)
      return msg`nothing was backed up`
    },
  }
}

/** Stores an archive, and says what the document gets to know of it. */
async function stored(
  deps: SitesDeps,
  name: string,
  packed: PackedSite,
  step: JobContext,
): Promise<Partial<SiteBackup>> {
  const { file, manifest, files } = packed
  // One that is tried again can be of a site that has another name by now.
  const backup = { ...(await backupOf(step, name)), site_domain: manifest.site }
  const { organization } = backup
  const store = await step.transaction((tx) => storeOf(deps, tx, backup))
  const identity = await step.transaction((tx) => backupIdentity(tx, organization))
  const added = join(dirname(workPath(deps, name)), 'added')
  try {
    const archive = await storeArchive(deps, { backup, identity, store, added }, packed, step)
    await writeContents(deps, step, { backup: name, identity }, files())
    return { ...archive, ...saidOf(manifest) }
  } finally {
    await removeWork(deps, name)
    await file.close()
  }
}
