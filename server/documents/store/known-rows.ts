import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { columnNames } from './schema.ts'
import { fieldsElsewhere } from './stored-elsewhere.ts'

/**
 * Rows that a transaction has locked or written, as they are stored now, so that none is read twice. Child rows aren't kept:
 * the lock on a document's row doesn't cover them. Statements outside of the store can change any row, so once the
 * transaction's connection was handed out nothing is kept anymore.
 */
export interface RowCache {
  /** A copy of the row; null if it has to be read. */
  get(type: Doctype, name: string): AnyDoc | null
  /** Keeps the row of a document as it is stored now. */
  keep(type: Doctype, doc: AnyDoc): void
  /** Changes with each row of the doctype that is kept or forgotten; null if none are kept anymore. */
  stateOf(type: Doctype): string | null
  /** Forgets all rows. */
  clear(): void
  /** Forgets all rows and keeps no others. */
  close(): void
}

/** JSON values are copied, so that changing them doesn't change the original's. */
const copied = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? structuredClone(value) : value

/** Opens an empty collection for a transaction. */
export function createRowCache(): RowCache {
  const rows = new Map<string, AnyDoc>()
  /** Keys of rows that have values of documents of another doctype, by that doctype. */
  const borrowers = new Map<string, Set<string>>()
  let isOpen = true
  const kept = new Map<string, number>()
  let cleared = 0
  const keyOf = (type: Doctype, name: string) => `${type.name}\n${name}`
  return {
    get(type, name) {
      const row = rows.get(keyOf(type, name))
      if (!row) return null
      const copy: AnyDoc = { ...row }
      for (const [field, value] of Object.entries(copy)) if (typeof value === 'object') copy[field] = copied(value)
      return copy
    },
    keep(type, doc) {
      if (!isOpen) return
      for (const borrower of borrowers.get(type.name) ?? []) rows.delete(borrower)
      kept.set(type.name, (kept.get(type.name) ?? 0) + 1)
      const row: Record<string, unknown> = { doctype: doc.doctype }
      const key = keyOf(type, doc.name)
      for (const name of columnNames(type)) row[name] = copied(doc[name])
      for (const [name, { doctype }] of fieldsElsewhere(type)) {
        row[name] = copied(doc[name])
        borrowers.set(doctype, (borrowers.get(doctype) ?? new Set()).add(key))
      }
      rows.set(key, row as AnyDoc)
    },
    stateOf: (type) => (isOpen ? `${cleared} ${kept.get(type.name) ?? 0}` : null),
    clear() {
      cleared += 1
      rows.clear()
    },
    close() {
      isOpen = false
      rows.clear()
    },
  }
}
