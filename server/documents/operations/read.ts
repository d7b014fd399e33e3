import type { CountQuery, Documents, ListQuery } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { loadFor, visibleDoc } from '../permissions/access.ts'
import { withoutHiddenDetails, withReadableValues } from '../query/described-values.ts'
import { countRows } from '../query/count.ts'
import { listRows, listScope } from '../query/lists.ts'
import { searchRows } from '../query/search.ts'
import { withPersonalValues } from '../store/personal.ts'
import type { DocumentsContext } from './documents-context.ts'

/** A page of the documents the caller can read. */
export async function listDocuments(
  { db, typeByName }: DocumentsContext,
  session: Session,
  type: Doctype,
  query: ListQuery,
): Promise<Record<string, unknown>[]> {
  return listRows(db, query, await listScope(db, session, type, typeByName))
}

/** Number of documents the caller can read. */
export async function countDocuments(
  { db, typeByName }: DocumentsContext,
  session: Session,
  type: Doctype,
  query: CountQuery,
): Promise<number> {
  return countRows(db, query, await listScope(db, session, type, typeByName))
}

/** Suggestions for a link field, among the documents the caller can read. */
export async function searchDocuments(
  { db, typeByName }: DocumentsContext,
  session: Session,
  type: Doctype,
  query: Parameters<Documents['search']>[2],
): ReturnType<Documents['search']> {
  return searchRows(db, query, await listScope(db, session, type, typeByName))
}

/** A document as the caller can read it. */
export async function getDocument(
  { db, typeByName }: DocumentsContext,
  session: Session,
  type: Doctype,
  name: string,
): Promise<AnyDoc> {
  const { doc, accessContext, personal } = await loadFor({ db, session, typeByName }, type, name, 'read')
  const shown = await withoutHiddenDetails(db, visibleDoc(doc, accessContext, type), type, {
    accessContext,
    typeByName,
  })
  const readable = withReadableValues(shown, accessContext, type, typeByName)
  return withPersonalValues(type, readable, personal)
}
