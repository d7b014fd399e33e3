import { sql } from 'kysely'
import { tableRef } from '#server/documents/documents.ts'
import type { Documents } from '#server/contracts/documents.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Doctype } from '#shared/doctype.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'
import { attachableDoctypes } from './file-controllers.ts'
import type { FileStorage } from './storage.ts'

/** Number of documents deleted per transaction. */
const batchSize = 200

/**
 * Removes leftovers of crashes or of deletions without our hooks: documents whose target is deleted, then contents without a
 * document. Returns the number of both.
 */
export async function sweepFiles(
  documents: Documents,
  storage: FileStorage,
  types: readonly Doctype[],
): Promise<number> {
  let removed = 0
  for (const doctype of attachableDoctypes(types)) {
    let count: number
    do {
      count = await documents.transaction(systemSession('schedule'), async (tx) => {
        // Filters can't ask for a missing target, and reading all files to look for theirs would not be bounded.
        const { rows } = await sql<{ name: string }>`select f.name from ${tableRef('File')} f
          where f.attached_to_doctype = ${doctype}
          and not exists (select 1 from ${tableRef(doctype)} d where d.name = f.attached_to_name)
          limit ${batchSize}`.execute(tx.trx)
        for (const { name } of rows) await tx.delete(FileDoctype, name)
        return rows.length
      })
      removed += count
    } while (count === batchSize)
  }
  return removed + (await storage.sweep((names) => knownNames(documents, names)))
}

function knownNames(documents: Documents, names: readonly string[]): Promise<ReadonlySet<string>> {
  return documents.transaction(systemSession('schedule'), async (tx) => {
    const files = await tx.list(FileDoctype, [['stored_name', 'in', [...names]]])
    return new Set(files.map((file) => file.stored_name as string))
  })
}
