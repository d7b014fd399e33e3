import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { unfinishedJobStatuses } from '#shared/rules/job-statuses.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { medianSeconds, type JobDurations } from './job-durations.ts'
import { queueName, type Queue, type QueueGroup, type QueueRef } from './queue.ts'
import {
  firstWaiting,
  LockedError,
  notWaiting,
  placeOf,
  takeContinued,
  type RefusedJob,
  type WaitingPlace,
} from './waiting-jobs.ts'
import type { EnqueueRequest, JobDefinition } from '#server/contracts/job.ts'

/** Dependencies for enqueueing jobs. */
export interface EnqueueEnvironment {
  documents(): Documents
  definitions: ReadonlyMap<string, JobDefinition>
  queue: Queue
  durations: JobDurations
}

/** Added to the job's own deadline: queue entries must outlive startup, rollback and completion. */
const marginSeconds = 900

/**
 * Gives the job what it needs until it ends: its reference alone, and its server, which it shares. Calls `queued` of its definition.
 * Throws LockedError if another job is in the way, or waits and comes first, AppError `not_found` if the reference was deleted. A
 * job that waited (`place`) has its turn, unless another one comes before it.
 */
export async function takeHolds(
  { documents, definitions }: EnqueueEnvironment,
  tx: Tx,
  job: Job,
  { place = null, retry }: { place?: WaitingPlace | null; retry: boolean },
): Promise<void> {
  await lockReference(documents(), tx, job, place)
  const { name, organization, args, reference_name } = job
  const input = { job: name, organization, referenceName: reference_name ?? '', args: args ?? {}, retry }
  await definitions.get(job.job_type)?.queued?.(input, tx)
  // After `queued`, which may lock names: the rows of servers come after those in the order of locks.
  if (job.shared_server) {
    const server = await tx.get(ServerDoctype, job.shared_server, { lock: true })
    if (server) await assertTurn(tx, ServerDoctype.name, server, place)
  }
}

async function lockReference(documents: Documents, tx: Tx, job: Job, place: WaitingPlace | null): Promise<void> {
  const { reference_doctype: doctype, reference_name: name } = job
  if (!doctype || !name) return
  const type = documents.type(doctype)
  const reference = await tx.get(doctype, name, { lock: true })
  if (!reference)
    throw new AppError('not_found', msg`The ${labelMessage(doctype.toLowerCase())} of this job no longer exists.`)
  if (!Object.hasOwn(type.fields, 'locked_by_job')) return
  await assertTurn(tx, doctype, reference, place)
  if (doctype === ServerDoctype.name) await assertNotShared(tx, name)
  await tx.update(doctype, name, { locked_by_job: job.name }, { hooks: false, activity: false })
}

/** Schedules don't queue up behind what waits, they would miss their turn. */
function assertTurn(tx: Tx, doctype: string, doc: object, place: WaitingPlace | null): Promise<void> {
  return place === null && tx.session.user === 'System' ? assertNotLocked(tx, doc) : assertFree(tx, doctype, doc, place)
}

/** Throws LockedError, naming the job, if one works on a server. Jobs that begin lock its row, so the caller must have done so. */
export async function assertNotShared(tx: Tx, server: string): Promise<void> {
  const job = await tx.find(JobDoctype, [
    ['shared_server', '=', server],
    ['ended', 'is', 'not set'],
  ])
  if (job) throw new LockedError(job, 'running')
}

/**
 * For a job that needs a second document at rest, which it doesn't hold. Throws LockedError for `refused` while a job holds that
 * document, or waits for it and comes first; null: a retry, which is refused and does not wait.
 */
export async function assertAtRest(
  tx: Tx,
  doctype: string,
  doc: object,
  { waited, refused }: { waited: boolean; refused: RefusedJob | null },
): Promise<void> {
  try {
    await (waited ? assertNotLocked(tx, doc) : assertFree(tx, doctype, doc))
  } catch (error) {
    throw error instanceof LockedError && refused !== null ? error.of(refused) : error
  }
}

/** Throws LockedError, naming the job, if a job holds the document, or waits for it and would come first. */
async function assertFree(tx: Tx, doctype: string, doc: object, place: WaitingPlace | null = null): Promise<void> {
  await assertNotLocked(tx, doc)
  const first = await firstWaiting(tx, { doctype, name: String(Reflect.get(doc, 'name')) }, place)
  if (first !== null) throw new LockedError(first, 'waiting')
}

/** Throws LockedError, naming the job, if a job holds the document. */
export async function assertNotLocked(tx: Tx, doc: object): Promise<void> {
  const holder: unknown = Reflect.get(doc, 'locked_by_job')
  if (typeof holder !== 'string' || holder === '') return
  const job = await tx.get(JobDoctype, holder)
  throw new LockedError(job ?? { name: holder, label: null, reference_title: null }, 'running')
}

/**
 * Adds the queue entry of a job in the caller's transaction. Each queued or running job of an organization lowers the
 * priority of its next one by one, so that organizations with many jobs don't delay others.
 */
export async function addToQueue(environment: EnqueueEnvironment, tx: Tx, job: Job, group: QueueGroup): Promise<void> {
  const definition = environment.definitions.get(job.job_type)
  const ref: QueueRef = { queue: group.queue, id: randomUUID() }
  const ahead = await tx.count(JobDoctype, [
    ['organization', '=', job.organization],
    ['status', 'in', unfinishedJobStatuses],
    ['name', '!=', job.name],
  ])
  await sql`
    insert into easydash_job_run (job, queue, queue_id, server, worker)
    values (${job.name}, ${ref.queue}, ${ref.id}, ${group.server}, null)
    on conflict (job) do update set queue = excluded.queue, queue_id = excluded.queue_id, server = excluded.server,
      worker = null`.execute(tx.trx)
  await environment.queue.send(tx.trx, ref, {
    job: job.name,
    organization: job.organization,
    server: group.server,
    priority: -ahead,
    expireInSeconds: Math.min(86_400, (definition?.deadlineSeconds ?? 60) + marginSeconds),
  })
}

/** Queue entry of a job that can still run. */
export async function queueOf(tx: Tx, job: string): Promise<(QueueRef & QueueGroup) | null> {
  const { rows } = await sql<
    QueueRef & QueueGroup
  >`select queue, queue_id as id, server from easydash_job_run where job = ${job}`.execute(tx.trx)
  return rows[0] ?? null
}

/** See `Jobs.enqueue`. */
export async function enqueueJob(environment: EnqueueEnvironment, tx: Tx, request: EnqueueRequest): Promise<string> {
  const definition = environment.definitions.get(request.type)
  if (!definition) throw new Error(`There is no job ${request.type}`)
  const args = request.args ?? {}
  const label = definition.label({ referenceTitle: request.reference_title, args })
  const values: Partial<Job> = {
    organization: request.organization,
    job_type: request.type,
    label,
    status: 'Queued',
    reference_doctype: request.reference_doctype,
    reference_name: request.reference_name,
    reference_title: request.reference_title,
    reference_address: request.reference_address ?? null,
    steps: [],
    args,
    shared_server: request.server ?? null,
    usual_seconds: medianSeconds(environment.durations, request.type),
    cancel_refused: definition.cancel.possible ? null : definition.cancel.reason,
  }
  const waited = await takeContinued(tx)
  const job = waited
    ? await tx.update(JobDoctype, waited.name, { ...values, ...notWaiting }, { hooks: false, activity: false })
    : await tx.insert(JobDoctype, values, { activity: false })
  try {
    await takeHolds(environment, tx, job, { place: waited && placeOf(waited), retry: false })
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw error.of({ ...request, label, args })
  }
  await addToQueue(environment, tx, job, {
    queue: queueName(request.host ?? null),
    server: request.remote === true ? (request.server ?? null) : null,
  })
  return job.name
}
