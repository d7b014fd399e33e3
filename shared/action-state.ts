import type { Action, AnyDoc, Doctype, FilterTriple } from './doctype.ts'

/** Whether an action waits in the queue while a job holds the document. */
export function waitsForJob(action: Action): boolean {
  return action.job === true
}

/** Whether an action leaves no trace: it can be called by GET. */
export function changesNothing({ reads, keeps }: Pick<Action, 'reads' | 'keeps'>): boolean {
  return reads === true && keeps !== true
}

/** Whether an action can be called in the status of the document: one that it can start from, or one that passes while it waits. */
export function isPossibleIn(type: Doctype, action: Action, doc: AnyDoc): boolean {
  if (!action.from || action.from.includes(String(doc.status))) return true
  const passing = type.passing_status
  if (passing === undefined || doc.status !== passing.now || !action.from.includes(passing.afterwards)) return false
  return waitsForJob(action) && Boolean(doc['locked_by_job'])
}

/** Whether a document meets a condition; operators that only the database knows count as met. No value is the empty one. */
export function matchesTriple([field, operator, wanted]: FilterTriple, doc: AnyDoc, user: string): boolean {
  const value = doc[field] ?? ''
  const against = wanted === '$user' ? user : (wanted ?? '')
  if (operator === '=') return value === against
  if (operator === '!=') return value !== against
  if (operator === 'in') return Array.isArray(against) && against.includes(value)
  if (operator === 'not in') return Array.isArray(against) && !against.includes(value)
  return true
}

/** Whether an action is one of documents like this, whatever their status. */
export const appliesTo = (action: Action, doc: AnyDoc): boolean =>
  action.for === undefined || matchesTriple(action.for, doc, '')
