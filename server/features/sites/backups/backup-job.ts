import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { PackedSite } from '#server/engines/site-backups.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { authorizeSite, engineSteps, siteAndEngine, type SiteJobArgs } from '../job-parts.ts'
import { backupIdentity, encrypted, hashed } from './archive-cipher.ts'
import { backupOf, localStore, showAtSite, writeBackup } from './backup-parts.ts'
import { enqueueProof } from './prove-job.ts'

type BackupArgs = SiteJobArgs & { readonly backup: string }

/** Begins a backup of a site. Throws AppError `conflict` while another one of it is not finished. */
export async function beginBackup(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  values: Partial<Pick<SiteBackup, 'kind' | 'note' | 'pinned'>>,
): Promise<{ name: string; job: string }> {
  const running = await tx.find(SiteBackupDoctype, [
    ['site', '=', site.name],
    ['status', 'in', ['Queued', 'Running']],
  ])
  if (running)
    throw new AppError('conflict', msg`A backup of this site is being made already.`, {
      nextAction: msg`Wait until it has ended.`,
    })
  const backup = await tx.insert(SiteBackupDoctype.name, {
    organization: site.organization,
    site: site.name,
    site_domain: site.domain,
    site_type: site.site_type,
    server: site.server,
    ...values,
  })
  const { job } = await enqueueFor(deps, tx, site, 'site.backup', { backup: backup.name })
  return { name: backup.name, job }
}

/** `site.backup`: packs the site, encrypts and stores the archive, and has it proven. */
export function backupJob(deps: SitesDeps): JobDefinition<BackupArgs> {
  const now = () => formatTimestamp((deps.clock ?? systemClock).now())
  const show = (context: { transaction: JobContext['transaction']; args: BackupArgs }, values: Partial<SiteBackup>) =>
    context.transaction((tx) => writeBackup(tx, context.args.backup, values))

  /** Neither a part of an archive nor one that nobody knows of. */
  async function remove(context: JobContext<BackupArgs>): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'backup')
    await engine.backups.removePacked(site)
    await localStore(deps).remove(context.args.backup)
  }

  return {
    type: 'site.backup',
    label: ({ referenceTitle }) => `Back up ${referenceTitle}`,
    deadlineSeconds: 10_800,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`The site was not changed. Try again.`,

    queued: ({ args }, tx) =>
      writeBackup(tx, args.backup, { status: 'Queued', ...serializeMessage('error_message', null) }),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'backup')
      return [
        {
          key: 'begin',
          label: 'Begin',
          weight: 0,
          run: () => show(context, { status: 'Running', taken_at: now() }),
        },
        ...engineSteps(engine.backups.packSteps(site)),
        {
          key: 'store',
          label: 'Encrypt and store the archive',
          weight: 2,
          deadlineSeconds: 3_600,
          async run(step) {
            const packed = await translateEngineErrors(engine.backups.packed(site))
            await show(context, await stored(deps, context.args.backup, packed, step))
            await engine.backups.removePacked(site)
          },
        },
      ]
    },

    async done({ args, referenceName }, tx) {
      await writeBackup(tx, args.backup, { status: 'Ready' })
      await showAtSite(tx, referenceName, { backup_failed_at: null })
      await enqueueProof(deps, tx, args.backup)
    },

    async failed(context, { message, nextAction }) {
      await remove(context)
      const { args, referenceName } = context
      await context.transaction(async (tx) => {
        await writeBackup(tx, args.backup, {
          status: 'Failed',
          ...serializeMessage('error_message', msg`${message} ${nextAction}`),
        })
        await showAtSite(tx, referenceName, { backup_failed_at: now() })
      })
    },

    async canceled(context) {
      await remove(context)
      await context.transaction(async (tx) => {
        if (await tx.get(SiteBackupDoctype, context.args.backup, { lock: true }))
          await tx.delete(SiteBackupDoctype, context.args.backup, { activity: false })
      })
      return msg`nothing was backed up`
    },
  }
}

/** Stores an archive, and says what the document gets to know of it. */
async function stored(
  deps: SitesDeps,
  name: string,
  { file, manifest }: PackedSite,
  step: JobContext,
): Promise<Partial<SiteBackup>> {
  const { organization } = await backupOf(step, name)
  const identity = await step.transaction((tx) => backupIdentity(tx, organization))
  const sum = createHash('sha256')
  try {
    const content = await encrypted(identity, Readable.from(hashed(file.open(), sum), { objectMode: false }))
    const bytes = await localStore(deps).write(name, content, step.signal)
    step.log(`Stored ${Math.ceil(bytes / 1_048_576)} MB, encrypted`)
    return {
      size: file.size,
      stored_size: bytes,
      sha256: sum.digest('hex'),
      wordpress_version: manifest.wordpress_version,
      php_version: manifest.php_version,
      counts: { ...manifest.counts, files: manifest.files.length },
    }
  } finally {
    await file.close()
  }
}
