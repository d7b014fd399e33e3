import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { nonDefaultFields, referenceOf } from '../store/reference.ts'
import type { TransactionContext } from '../store/transaction-context.ts'

/** The part of a transaction that holds its activity entries. */
type ActivityContext = Pick<TransactionContext, 'activities'>

/** Whether a write of the doctype is recorded, given the option of the write. */
const isRecorded = (type: Doctype, option: boolean | undefined) => type.track_activity !== false && option !== false

/** Records that a document was inserted, with the fields that were set. If that started a job, the act ends with the job. */
export function recordInsert({ activities }: ActivityContext, type: Doctype, doc: AnyDoc, option?: boolean): void {
  if (!isRecorded(type, option)) return
  const started = typeof doc.job === 'string' && !Object.hasOwn(type.fields, 'job')
  activities.push({
    ...referenceOf(type, doc),
    action: `${type.name}.insert`,
    after: nonDefaultFields(type, doc),
    ...(started && { result: 'Started', job: doc.job as string }),
  })
}

/** Records the changed fields of a document that was updated, except hidden ones. */
export function recordUpdate(
  { activities }: ActivityContext,
  type: Doctype,
  { before, after, changed }: { before: AnyDoc; after: AnyDoc; changed: readonly string[] },
  option?: boolean,
): void {
  if (!isRecorded(type, option)) return
  const keys = changed.filter((key) => key !== 'idx' && !type.fields[key]?.hidden)
  if (keys.length === 0) return
  const image = (of: AnyDoc) => Object.fromEntries(keys.map((key) => [key, of[key] ?? null]))
  activities.push({
    ...referenceOf(type, after),
    action: `${type.name}.update`,
    before: image(before),
    after: image(after),
  })
}

/** Records that a document was deleted, with the fields that were set. */
export function recordDelete({ activities }: ActivityContext, type: Doctype, doc: AnyDoc, option?: boolean): void {
  if (!isRecorded(type, option)) return
  activities.push({ ...referenceOf(type, doc), action: `${type.name}.delete`, before: nonDefaultFields(type, doc) })
}
