import type { JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { EngineError, type EngineStep } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import type { ContainedProofs, RehearsalVerdict } from '#server/engines/site-backups.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, serverOf, siteRef, translateEngineErrors, withFacetsOf } from '../engine-of.ts'
import { engineSteps } from '../job-parts.ts'
import { reportToNeeding } from './increments/report-damage.ts'
import { Damaged } from './damaged.ts'
import {
  backupOf,
  backupReference,
  fetchArchive,
  removeWork,
  showAtSite,
  workPath,
  transferSeconds,
  writeBackup,
} from './backup-parts.ts'
import { keepBackupThumbnail, takeBackupThumbnail } from './backup-thumbnail.ts'
import { findContents } from './contents.ts'
import { scheduleOf } from './schedule-of.ts'
import { findRehearsalPlace, rehearsalPlace, type RehearsalPlace } from './rehearsal-place.ts'

interface Contained {
  readonly engine: string
  readonly site: SiteRef
}

type ProveArgs = {
  readonly engine: string | null
  readonly rehearsal: SiteRef
  /** The site on whose server it goes on if this machine can't judge it; its engine proves backups in containers. */
  readonly contained?: Contained | null
  readonly otherPhp?: RehearsalPlace['otherPhp']
}

/** Has a backup proven. Throws AppError `unsupported` where no proof is possible. */
export async function enqueueProof(deps: SitesDeps, tx: Tx, name: string): Promise<{ job: string }> {
  const backup = await tx.get(SiteBackupDoctype, name)
  if (!backup) throw new AppError('not_found', msg`The backup no longer exists.`)
  return enqueueAt(deps, tx, backup, await rehearsalPlace(deps, tx, backup))
}

/** Has a new backup proven, where that is possible. */
export async function beginProof(deps: SitesDeps, tx: Tx, name: string): Promise<void> {
  const backup = await tx.get(SiteBackupDoctype, name)
  const found = backup && (await findRehearsalPlace(deps, tx, backup))
  if (backup && found) await enqueueAt(deps, tx, backup, found)
}

async function enqueueAt(
  deps: SitesDeps,
  tx: Tx,
  backup: SiteBackup,
  { engine, place, siteOf, otherPhp }: RehearsalPlace,
): Promise<{ job: string }> {
  const job = await deps.jobs().enqueue(tx, {
    type: 'site.prove_backup',
    ...(await backupReference(tx, backup)),
    args: {
      ...{ engine, rehearsal: siteOf(backup.name, 'rehearsal'), otherPhp },
      contained: await containedPlace(deps, tx, backup),
    } satisfies ProveArgs,
    ...place,
  })
  return { job }
}

/** Where a proof goes on; null unless the schedule of its site says so. */
async function containedPlace(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<ProveArgs['contained']> {
  const site = await tx.get(SiteDoctype, backup.site)
  if (site === null) return null
  const schedule = await scheduleOf(tx, site)
  if (schedule?.enabled !== 1 || schedule.prove_on_server !== 1) return null
  const own = engineFor(deps.engines, site)
  const server = await serverOf(tx, site)
  if (own.backups?.contained === undefined || !capabilitiesOf(own, server).backup.supported) return null
  return { engine: own.name, site: siteRef(site, server) }
}

/**
 * `site.prove_backup`: fetches the archive from where it lies, makes a site of it that nobody can visit, looks at it, and says what was
 * seen. A damaged archive is a verdict, not a failure.
 */
export function proveBackupJob(deps: SitesDeps): JobDefinition<ProveArgs> {
  async function cleanUp(context: JobContext<ProveArgs>): Promise<void> {
    await engineFor(deps.engines, context.args).destroy(context.args.rehearsal)
    await removeWork(deps, context.referenceName)
    const { contained } = context.args
    if (contained && goesOn(context))
      await translateEngineErrors(proofsOf(deps, contained).remove(contained.site, context.referenceName))
  }

  return {
    type: 'site.prove_backup',
    label: ({ referenceTitle }) => `Prove the backup of ${referenceTitle}`,
    deadlineSeconds: transferSeconds + 16_200,
    cancel: { possible: true },
    authorize: authorizeReference(SiteBackupDoctype, { action: 'prove' }),
    nextAction: () => msg`The backup was not changed. Try again.`,

    async steps(context) {
      const engine = withFacetsOf(engineFor(deps.engines, context.args), 'rehearse')
      const { rehearsal } = context.args
      const path = workPath(deps, context.referenceName)
      return [
        {
          key: 'fetch',
          label: 'Fetch it and compare its checksum',
          weight: 2,
          deadlineSeconds: transferSeconds,
          run: (step) =>
            findingDamage(step, async () => {
              const backup = await backupOf(step, step.referenceName)
              await findContents(deps, step, backup, await fetchArchive(deps, backup, step))
            }),
        },
        ...engine.rehearsals.rehearseSteps(rehearsal, path).map(unlessFound),
        {
          key: 'judge',
          label: 'Look at what came of it',
          weight: 3,
          deadlineSeconds: 900,
          async run(step) {
            const verdict: RehearsalVerdict =
              foundBefore(step) ??
              onOtherPhp(
                await translateEngineErrors(engine.rehearsals.judge(rehearsal, step.signal)),
                context.args.otherPhp ?? null,
              )
            if (verdict.inconclusive !== null && context.args.contained) step.keep({ goes_on: true })
            await keepVerdict(deps, step, verdict, null)
            const { archive } = step.kept
            if (typeof archive === 'string') await reportToNeeding(step, archive)
          },
        },
        {
          key: 'screenshot',
          label: 'Take a screenshot of its homepage',
          weight: 1,
          // Screenshots are taken one at a time.
          deadlineSeconds: 900,
          isNeedless: isDecided,
          async run(step) {
            const seen = await takeBackupThumbnail(deps, engine, rehearsal, step)
            await step.transaction((tx) => keepBackupThumbnail(tx, step.referenceName, seen))
          },
        },
        ...(context.args.contained ? [containedStep(deps, context.args.contained, path)] : []),
        { key: 'clean_up', label: 'Remove it again', weight: 1, run: () => cleanUp(context) },
      ]
    },

    async done(context, tx) {
      const backup = await tx.get(SiteBackupDoctype, context.referenceName)
      const [first] = backup?.proof_detail ?? []
      if (backup?.proof === 'Failed') return msg`The proof failed: ${first?.defect ?? ''}`
      if (backup?.proof === 'Inconclusive') return msg`The proof is inconclusive: ${first?.defect ?? ''}`
    },

    async failed(context) {
      await cleanUp(context)
    },

    async canceled(context) {
      await cleanUp(context)
      return msg`the backup was not proven`
    },
  }
}

function proofsOf(deps: SitesDeps, { engine }: Contained): ContainedProofs {
  const proofs = engineFor(deps.engines, { engine }).backups?.contained
  if (proofs === undefined) throw new Error(`The engine ${engine} proves nothing in containers.`)
  return proofs
}

/** What this machine could not judge goes on where its site runs. Its files were compared here. */
const containedStep = (deps: SitesDeps, contained: Contained, archive: string): JobStepDefinition => ({
  key: 'contained',
  label: 'Try it out on its server, in containers without a network',
  weight: 6,
  deadlineSeconds: 9_000,
  isNeedless: (step) => !goesOn(step),
  async run(step) {
    const { site } = contained
    const proof = { id: step.referenceName, archive }
    const verdict = await translateEngineErrors(
      proofsOf(deps, contained).prove(site, proof, { ...step, operationId: step.job }),
    )
    await keepVerdict(deps, step, verdict, site.server.id)
  },
})

/** Writes what was seen. @param server where, if it was not this machine */
async function keepVerdict(deps: SitesDeps, step: JobContext, verdict: RehearsalVerdict, server: string | null) {
  for (const { what, expected, found } of verdict.seen) step.log(`${what}: ${found} of ${expected}`)
  for (const { defect, evidence } of verdict.defects) step.log(`${defect} (${evidence})`)
  if (verdict.inconclusive !== null) step.log(verdict.inconclusive)
  await step.transaction(async (tx) => {
    const before = server === null ? null : await tx.get(SiteBackupDoctype, step.referenceName)
    const at = formatTimestamp((deps.clock ?? systemClock).now())
    await writeBackup(tx, step.referenceName, {
      ...fieldsOf(verdict, at, before),
      // A screenshot is of what this machine made.
      ...{ proved_on: server, thumbnail: null },
    })
    const backup = await tx.get(SiteBackupDoctype, step.referenceName)
    if (!backup) return
    await showAtSite(tx, backup.site)
    if (backup.proof === 'Failed') await reportFailure(tx, backup, step.job)
  })
}

/** What another PHP shows says little about the site, whether it is good or bad; checksums of files are the same on any. */
function onOtherPhp(verdict: RehearsalVerdict, otherPhp: RehearsalPlace['otherPhp']): RehearsalVerdict {
  const isDamaged = verdict.seen.some(({ what, expected, found }) => what === 'files' && found < expected)
  if (otherPhp === null || isDamaged) return verdict
  const { own, there } = otherPhp
  const reason = `The site runs PHP ${own}, which this machine does not have; its backup was tested on PHP ${there}.`
  return { ...verdict, inconclusive: verdict.inconclusive ?? reason }
}

/** Puts a failed proof into the activity of the site, from where people are notified. */
async function reportFailure(tx: Tx, backup: SiteBackup, job: string): Promise<void> {
  await tx.activity({
    action: 'Site.backup_unproven',
    result: 'Failed',
    ...(await backupReference(tx, backup)),
    reference_doctype: 'Site',
    reference_name: backup.site,
    after: { backup: backup.name, defects: (backup.proof_detail ?? []).slice(0, 5).map(({ defect }) => defect) },
    job,
  })
}

/** @param before what was seen of it elsewhere */
function fieldsOf(
  { defects, seen, inconclusive }: RehearsalVerdict,
  at: string,
  before: SiteBackup | null,
): Partial<SiteBackup> {
  const proof = inconclusive !== null ? 'Inconclusive' : defects.length > 0 ? 'Failed' : 'Proven'
  const reasons = inconclusive === null ? defects : [{ defect: inconclusive, evidence: '' }, ...defects]
  const kept = (before?.proof_seen ?? []).filter(({ what }) => !seen.some((one) => one.what === what))
  return { proof, proof_detail: reasons, proof_seen: [...kept, ...seen], proved_at: at }
}

/** Whether the proof goes on on the server of the site. */
const goesOn = ({ kept }: Pick<JobContext, 'kept'>): boolean => kept['goes_on'] === true

/** The verdict that ended a proof before a site could be looked at; null if nothing has. */
function foundBefore({ kept }: Pick<JobContext, 'kept'>): RehearsalVerdict | null {
  const { damage, evidence, unjudged } = kept
  if (typeof unjudged === 'string') return { defects: [], seen: [], inconclusive: unjudged }
  if (typeof damage !== 'string') return null
  return { defects: [{ defect: damage, evidence: String(evidence ?? '') }], seen: [], inconclusive: null }
}

const isDecided = (step: Pick<JobContext, 'kept'>): boolean => foundBefore(step) !== null

/** What shows that an archive can't be restored, or not here, ends neither the job nor the proof. */
async function findingDamage(step: JobContext, work: () => Promise<unknown>, isCheck = false): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Damaged)
      step.keep({ damage: error.message, evidence: error.evidence, archive: error.archive ?? step.referenceName })
    else if (error instanceof EngineError && error.code === 'invalid')
      step.keep({ damage: 'The archive cannot be restored.', evidence: error.message.slice(0, 300) })
    else if (error instanceof EngineError && error.code === 'unsupported') step.keep({ unjudged: error.message })
    else if (error instanceof EngineError && error.code === 'unavailable' && isCheck)
      step.keep({ damage: 'The site that was made of it does not answer.', evidence: error.message.slice(0, 300) })
    else throw error
    step.log(String(step.kept['damage'] ?? step.kept['unjudged']))
  }
}

function unlessFound(step: EngineStep): JobStepDefinition {
  const [own] = engineSteps([step])
  if (own === undefined) throw new Error('No step')
  return {
    ...own,
    isNeedless: isDecided,
    run: (context) => findingDamage(context, async () => own.run(context), step.key === 'check'),
  }
}
