import type { Action, AnyDoc, Doctype } from './doctype.ts'

/** Whether an action waits in the queue while a job holds the document. */
export function waitsForJob(action: Action): boolean {
  return action.job === true
}

/** Whether an action can be called in the status of the document: one that it can start from, or one that passes while it waits. */
export function isPossibleIn(type: Doctype, action: Action, doc: AnyDoc): boolean {
  if (!action.from || action.from.includes(String(doc.status))) return true
  const passing = type.passing_status
  if (passing === undefined || doc.status !== passing.now || !action.from.includes(passing.afterwards)) return false
  return waitsForJob(action) && Boolean(doc['locked_by_job'])
}
