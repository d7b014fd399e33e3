import type { Tx } from '#server/contracts/transaction.ts'
import type { CapabilityName, Engine, EngineStep } from '#server/engines/engine.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import { serverRef, type SiteRef } from '#server/engines/site-ref.ts'
import type { HttpAuth } from '#server/engines/site-settings.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { notPutBack } from '#server/jobs/failure.ts'
import type { FailureEnd, JobContext, JobFailure, JobStepDefinition, QueuedJob } from '#server/contracts/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage, serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { engineFor, withFacetsOf } from './engine-of.ts'
import type { PageCheckResult } from './page-check.ts'
import { observedFields } from './storage-fields.ts'

/** Arguments of every site job. */
export type SiteJobArgs = {
  /** As it was when the job started; see `refOf`. */
  site: SiteRef
  engine: string | null
  /** Status of the site before the job. */
  was: Site['status']
}

/** Arguments of a job that works on two sites. */
export type PairArgs = SiteJobArgs & {
  /** The other one, as it was when the job started. */
  readonly other: SiteRef
}

/** Arguments of a job before which the site is backed up, if its schedule says so. */
export type BackedUpArgs = SiteJobArgs & {
  /** Where that backup is stored; null: where the organization has them. Missing: none is made. */
  readonly backup_to?: string | null
}

/** Context of a site job. */
export type SiteJobContext = JobContext<SiteJobArgs>

/** Engine of a site job. */
export function engineOf(deps: SitesDeps, context: Pick<SiteJobContext, 'args'>): Engine {
  return engineFor(deps.engines, context.args)
}

/**
 * Site and engine of a job that needs a capability. Whoever enqueued the job asked for it: what the server lacks since keeps nothing
 * from being finished or taken back.
 */
export async function siteAndEngine<K extends CapabilityName>(
  deps: SitesDeps,
  context: Pick<SiteJobContext, 'args' | 'transaction'>,
  name: K,
): Promise<{ site: SiteRef; engine: EngineWith<K> }> {
  return { site: await refOf(context), engine: withFacetsOf(engineOf(deps, context), name) }
}

/**
 * The site of a job as engines identify it, on its server as it is now: the server may have got another address while the job
 * waited. If the server was deleted, as it was when the job started.
 */
export function refOf(context: Pick<SiteJobContext, 'args' | 'transaction'>): Promise<SiteRef> {
  return onServerNow(context, context.args.site)
}

/** Another site of a job, likewise. */
export async function onServerNow(
  { transaction }: Pick<SiteJobContext, 'transaction'>,
  site: SiteRef,
): Promise<SiteRef> {
  const server = await transaction((tx) => tx.get(ServerDoctype, site.server.id))
  return server ? { ...site, server: serverRef(server) } : site
}

/** Deletes the document of a site, if it is still there. */
export async function deleteSite(tx: Tx, name: string): Promise<void> {
  if (await tx.get(SiteDoctype, name, { lock: true })) await tx.delete(SiteDoctype, name, { activity: false })
}

/** Removes a site that was not finished, and its document. */
export async function removeSite(deps: SitesDeps, context: SiteJobContext): Promise<void> {
  await engineOf(deps, context).destroy(await refOf(context))
  await context.transaction((tx) => deleteSite(tx, context.referenceName))
}

/** The site of a job. Throws AppError `not_found` if it was deleted. */
export async function siteOf(context: SiteJobContext): Promise<Site> {
  const site = await context.transaction((tx) => tx.get(SiteDoctype, context.referenceName))
  if (!site) throw new AppError('not_found', msg`The site no longer exists.`, { nextAction: msg`Create it again.` })
  return site
}

/** Fields of a site; `failure` is the reason why it failed or is down, else null. */
type MeasuredSiteFields = Partial<Omit<Site, 'failure_reason' | 'failure_reason_i18n' | 'failure_since'>> & {
  failure?: LocalizedMessage | null
}

/** Writes values the product itself determined: not a user edit, so no hooks and no activity entry. */
export async function writeSite(tx: Tx, name: string, { failure, ...values }: MeasuredSiteFields): Promise<void> {
  const failureFields = failure === undefined ? {} : failureFieldsOf(failure, await tx.get(SiteDoctype, name), values)
  await tx.update(SiteDoctype, name, { ...values, ...failureFields }, { hooks: false, activity: false })
}

/** The reason, and since when: a site that fails again for another reason has failed since it began. */
function failureFieldsOf(
  failure: LocalizedMessage | null,
  before: Site | null,
  { status = before?.status, health = before?.health }: MeasuredSiteFields,
): Pick<Site, 'failure_reason' | 'failure_reason_i18n' | 'failure_since'> {
  const goesOn = typeof before?.failure_reason === 'string' && before.status === status && before.health === health
  const since = goesOn ? before.failure_since : formatTimestamp(systemClock.now())
  return { ...serializeMessage('failure_reason', failure), failure_since: failure === null ? null : since }
}

/** What visitors of a site are asked for; null: nothing. */
export async function httpAuthOf(tx: Tx, name: string): Promise<HttpAuth | null> {
  const user = (await tx.get(SiteDoctype, name))?.http_auth_user
  const password = await tx.secret(SiteDoctype, name, 'http_auth_password')
  return user && password ? { user, password } : null
}

/** Converts engine steps to job steps. */
export function engineSteps(steps: readonly EngineStep[]): JobStepDefinition[] {
  return steps.map((step) => ({
    key: step.key,
    label: step.label,
    ...(step.weight === undefined ? {} : { weight: step.weight }),
    ...(step.deadlineSeconds === undefined ? {} : { deadlineSeconds: step.deadlineSeconds }),
    ...(step.destructive === undefined ? {} : { destructive: step.destructive }),
    run: (context) =>
      step.run({ operationId: context.job, log: context.log, progress: context.progress, signal: context.signal }),
  }))
}

/** Runs engine steps outside the recorded job steps, for the rollback of a canceled job. */
export async function runEngineSteps(steps: readonly EngineStep[], context: SiteJobContext): Promise<void> {
  for (const step of steps) {
    context.signal.throwIfAborted()
    await step.run({ operationId: context.job, log: context.log, progress: () => undefined, signal: context.signal })
  }
}

/** Measured fields of a site after its page check. */
export async function measuredFields(
  deps: SitesDeps,
  engine: Engine,
  ref: SiteRef,
  page: PageCheckResult,
): Promise<Partial<Site>> {
  const seen = await engine.observe(ref)
  const now = formatTimestamp((deps.clock ?? systemClock).now())
  return {
    ...page,
    health_checked_at: now,
    last_answer_at: now,
    ...observedFields(seen),
  }
}

/** The initiator must still have this permission on the site; scheduled jobs need none. */
export const authorizeSite = (right: 'write' | 'delete') => authorizeReference(SiteDoctype, right)

/**
 * Sets the status that a job shows while it works on a site. A retry continues where the job failed, so the site must still
 * have one of the statuses in `left`, which a failed run leaves; a user may have changed it meanwhile. Otherwise throws
 * AppError `invalid`. The reason why the site failed stays with `keepsReason`: for work that repairs nothing.
 */
export async function showQueued(
  tx: Tx,
  input: QueuedJob<SiteJobArgs>,
  status: Site['status'],
  left: readonly Site['status'][] = ['Failed'],
  { keepsReason = false }: { readonly keepsReason?: boolean } = {},
): Promise<void> {
  const site = await tx.get(SiteDoctype, input.referenceName)
  if (input.retry && !(site && left.includes(site.status))) {
    throw new AppError(
      'invalid',
      msg`The site is ${labelMessage(String(site?.status))} by now, so this job cannot go on.`,
    )
  }
  await writeSite(tx, input.referenceName, { status, ...(keepsReason ? {} : { failure: null }) })
}

/** The error of a job and its next action in one message. */
function messageWithNextAction({ message, nextAction }: Pick<JobFailure, 'message' | 'nextAction'>): LocalizedMessage {
  return nextAction.text === '' ? message : msg`${message} ${nextAction}`
}

/** Marks the site of a failed job as Failed, with the reason and next action. */
export async function markFailed(context: SiteJobContext, failure: JobFailure): Promise<void> {
  await context.transaction(async (tx) => {
    if (!(await tx.get(SiteDoctype, context.referenceName, { lock: true }))) return
    await writeSite(tx, context.referenceName, { status: 'Failed', failure: messageWithNextAction(failure) })
  })
}

/** State of a site after a change that loaded its homepage, unless that failed before: a site that failed works again. */
export function stateAfterChange({
  was,
  wasDown,
}: Pick<SiteJobArgs, 'was'> & { readonly wasDown: boolean }): MeasuredSiteFields {
  return wasDown ? { status: was } : { status: 'Live', failure: null }
}

/** For jobs of which steps before the failed one stay: says only what could not be taken back. */
export const onlyIfKept = (end: FailureEnd): FailureEnd | undefined => (typeof end === 'object' ? end : undefined)

/**
 * Takes the change of a failed job back, unless `undo` says that it is `finished`, or may be (`unknown`). If that fails, too, nobody knows
 * what the site is like: it is Failed, with the reason of the job.
 */
export async function undoOrMarkFailed(
  context: SiteJobContext,
  failure: JobFailure,
  undo: () => Promise<unknown>,
): Promise<FailureEnd> {
  try {
    const end = await undo()
    return end === 'finished' || end === 'unknown' ? end : 'undone'
  } catch (problem) {
    await markFailed(context, notPutBack(failure, problem))
    return { kept: problem }
  }
}
