/** Jobs that wait for another job of their document: how they are found, and how `enqueue` continues one. */
import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import type { Doctype } from '#shared/doctype.ts'
import { JobDoctype, type Job, type WaitingCall } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { jobLabelMessage, msg } from '#shared/localized-message.ts'
import { runningJobMessage } from '#shared/rules/running-job.ts'

/** Jobs that can wait for one document; one more is refused. */
export const maxWaitingPerDocument = 20

/** A job that is in the way of another one. */
export type Holder = Pick<Job, 'name' | 'label' | 'reference_title'>

/** The place of a job among those that wait. */
export interface WaitingPlace {
  readonly since: string
  readonly name: string
}

/** The place of a job that waits. */
export const placeOf = ({ name, waits_since, creation }: Job): WaitingPlace => ({
  since: waits_since ?? creation,
  name,
})

/** What the refused job would have been. */
export interface RefusedJob {
  readonly type: string
  readonly label: string
  readonly organization: string
  /** What is held: not always the document of the action. */
  readonly reference_doctype: string
  readonly reference_name: string
  readonly reference_title: string
  readonly reference_address?: string
  readonly args: Record<string, unknown>
}

/** A job holds the document, or waits for it and comes first. */
export class LockedError extends AppError {
  readonly holder: Holder
  readonly #state: 'running' | 'waiting'
  /** The job that could not start; null if it was no job that was refused. */
  readonly refused: RefusedJob | null
  constructor(holder: Holder, state: 'running' | 'waiting', refused: RefusedJob | null = null) {
    const label = holder.label ? jobLabelMessage(holder.label, holder.reference_title) : holder.name
    super(
      'locked',
      state === 'running' ? runningJobMessage(holder) : msg`“${label}” comes first. Wait for it or cancel it.`,
    )
    this.holder = holder
    this.#state = state
    this.refused = refused
  }

  /** The same, about this job. */
  of(refused: RefusedJob): LockedError {
    return new LockedError(this.holder, this.#state, refused)
  }
}

/** Fields of a job that does not wait for another one. */
export const notWaiting = {
  waiting_call: null,
  waits_since: null,
  unavailable_since: null,
  waits_for: null,
  waits_for_label: null,
  waits_for_title: null,
} as const

/** The waiting job does not wait any more: it was canceled, or another process started it. */
export class NotWaitingError extends Error {}

/** The first job that waits for a document, of those before `place`; null if none does. */
export async function firstWaiting(
  tx: Tx,
  { doctype, name }: { doctype: string; name: string },
  place: WaitingPlace | null = null,
): Promise<Holder | null> {
  const before =
    place === null ? sql`true` : sql`(coalesce(waits_since, creation), name) < (${place.since}, ${place.name})`
  const { rows } = await sql<Holder>`
    select name, label, reference_title from tab_job
    where waiting_call is not null and status = 'Queued' and reference_doctype = ${doctype} and reference_name = ${name}
      and ${before}
    order by coalesce(waits_since, creation), name limit 1`.execute(tx.trx)
  return rows[0] ?? null
}

/** Number of jobs that wait for a document. */
export async function countWaiting(tx: Tx, doctype: string, name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from tab_job
    where waiting_call is not null and status = 'Queued' and reference_doctype = ${doctype} and reference_name = ${name}`.execute(
    tx.trx,
  )
  return rows[0]?.n ?? 0
}

/** The name that was typed to confirm a call is no longer the one of the document. Null if the call needs no such name. */
export function confirmationChanged(type: Doctype, call: WaitingCall, doc: object | null): AppError | null {
  const field = type.actions?.[call.action]?.confirm_field
  if (!field || doc === null || Reflect.get(doc, field) === call.args['confirm_name']) return null
  return new AppError('invalid', msg`“${String(call.args['confirm_name'])}” was confirmed, but the name has changed.`, {
    field: 'confirm_name',
    nextAction: msg`Start it again and confirm the new name.`,
  })
}

/** Throws if the transaction did not continue the job it was to continue: its call would be made again and again. */
export function assertContinued(tx: Tx): void {
  if (continued.has(tx.trx)) throw new Error('The action of a waiting job started no job')
}

/** By transaction: the waiting job that its next `enqueue` continues instead of inserting a new one. */
const continued = new WeakMap<Trx, string>()

/** Makes the next `enqueue` of the transaction continue this waiting job. */
export function continueJob(tx: Tx, job: string): void {
  continued.set(tx.trx, job)
}

/** Whether the transaction continues a waiting job, which has its turn then. True until it was continued. */
export function isContinuing(tx: Tx): boolean {
  return continued.has(tx.trx)
}

/** The waiting job to continue in this transaction, locked; null if there is none. Throws NotWaitingError. */
export async function takeContinued(tx: Tx): Promise<Job | null> {
  const name = continued.get(tx.trx)
  if (name === undefined) return null
  continued.delete(tx.trx)
  const job = await tx.get(JobDoctype, name, { lock: true })
  if (job?.status !== 'Queued' || job.waiting_call === null) throw new NotWaitingError(name)
  return job
}
