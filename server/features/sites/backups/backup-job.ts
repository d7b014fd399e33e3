import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { PackedSite } from '#server/engines/site-backups.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import { localBackups } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { authorizeSite, engineSteps, siteAndEngine, type SiteJobArgs } from '../job-parts.ts'
import { backupIdentity, encrypted, hashed } from './archive-cipher.ts'
import { backupOf, showAtSite, writeBackup } from './backup-parts.ts'
import { discard } from './discard.ts'
import { enqueueProof } from './prove-job.ts'
import { storeOf } from './stores.ts'

type BackupArgs = SiteJobArgs & { readonly backup: string }

/**
 * Begins a backup of a site; without a store in that of the organization. Throws AppError `conflict` while another one of it is not
 * finished, `invalid` (field `store`) if there is no such store.
 */
export async function beginBackup(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  values: Partial<Pick<SiteBackup, 'kind' | 'note' | 'pinned' | 'store'>>,
): Promise<{ name: string; job: string }> {
  const running = await tx.find(SiteBackupDoctype, [
    ['site', '=', site.name],
    ['status', 'in', ['Queued', 'Running']],
  ])
  if (running)
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
  const { job } = await enqueueFor(deps, tx, site, 'site.backup', { backup: backup.name })
  return { name: backup.name, job }
}

/** `site.backup`: packs the site, encrypts and stores the archive, and has it proven. */
export function backupJob(deps: SitesDeps): JobDefinition<BackupArgs> {
  const now = () => formatTimestamp((deps.clock ?? systemClock).now())
  const show = (context: { transaction: JobContext['transaction']; args: BackupArgs }, values: Partial<SiteBackup>) =>
    context.transaction((tx) => writeBackup(tx, context.args.backup, values))

  /** What was put together on the machine of the site. */
  async function remove(context: JobContext<BackupArgs>): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'backup')
    await engine.backups.removePacked(site)
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

    async done({ args }, tx) {
      await writeBackup(tx, args.backup, { status: 'Ready' })
      await showAtSite(tx, args.backup)
      await enqueueProof(deps, tx, args.backup)
    },

    async failed(context, { message, nextAction }) {
      await remove(context)
      // What is stored of it is found by the sweep: a store that failed can't be asked to remove it now.
      await show(context, { status: 'Failed', ...serializeMessage('error_message', msg`${message} ${nextAction}`) })
    },

    async canceled(context) {
      await remove(context)
      await context.transaction(async (tx) => {
        const backup = await tx.get(SiteBackupDoctype, context.args.backup, { lock: true })
        if (backup) await discard(deps, tx, backup, { activity: false })
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
  const backup = await backupOf(step, name)
  const { organization } = backup
  const store = await step.transaction((tx) => storeOf(deps, tx, backup))
  const identity = await step.transaction((tx) => backupIdentity(tx, organization))
  const sum = createHash('sha256')
  try {
    const content = await encrypted(identity, Readable.from(hashed(file.open(), sum), { objectMode: false }))
    const bytes = await store.write(backup, content, step.signal)
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
