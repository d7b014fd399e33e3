import type { AnyDoc } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { isObject } from '../request/parameter-values.ts'

/** Maximum number of expanded links per response; further links stay names. */
const maxLinks = 100

/**
 * Replaces the link fields of a document, including its child rows, with the linked documents (`expand_links`). Permissions
 * are checked for each; documents the caller may not read stay names.
 */
export async function expandLinks(documents: Documents, session: Session, doc: AnyDoc): Promise<AnyDoc> {
  const known = new Map<string, AnyDoc | null>()

  async function linked(doctype: string, name: string): Promise<AnyDoc | null> {
    const key = `${doctype}/${name}`
    const seen = known.get(key)
    if (seen !== undefined) return seen
    const found = known.size < maxLinks ? await readable(documents, session, doctype, name) : null
    known.set(key, found)
    return found
  }

  async function expanded(of: AnyDoc): Promise<AnyDoc> {
    const shown: Record<string, unknown> = {}
    for (const [name, { fieldtype, options }] of Object.entries(documents.type(of.doctype).fields)) {
      const value = of[name]
      if (fieldtype === 'Link' && typeof value === 'string')
        shown[name] = (await linked(String(options), value)) ?? value
      else if (fieldtype === 'Table' && Array.isArray(value)) {
        const rows: unknown[] = []
        for (const row of value) rows.push(isDoc(row) ? await expanded(row) : row)
        shown[name] = rows
      }
    }
    return { ...of, ...shown }
  }

  return expanded(doc)
}

async function readable(documents: Documents, session: Session, doctype: string, name: string): Promise<AnyDoc | null> {
  try {
    return await documents.get(session, doctype, name)
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'forbidden'].includes(error.code)) return null
    throw error
  }
}

/** Child rows are documents that name their doctype. */
const isDoc = (row: unknown): row is AnyDoc => isObject(row) && typeof row.doctype === 'string'
