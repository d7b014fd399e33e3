import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { sql } from 'kysely'
import { readDocs } from './rows.ts'
import type { TransactionContext } from './transaction-context.ts'

/**
 * Makes the stored child rows of a Table field match the given ones; rows are matched by name. Rows are documents
 * themselves, written through the transaction like those of a hook.
 */
export async function writeChildren(
  { connection, environment, hookContext: { tx } }: TransactionContext,
  type: Doctype,
  doc: AnyDoc,
  field: string,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  const child = environment.type(type.fields[field]?.options as string)
  const stored = await readDocs(
    connection,
    child,
    sql`t.parent = ${doc.name} and t.parentfield = ${field}`,
    sql`order by t.idx`,
    environment.typeByName,
  )
  const kept = new Set<string>()
  for (const [at, row] of rows.entries()) {
    const values = { ...row, parent: doc.name, parentfield: field, parenttype: type.name, idx: at + 1 }
    const known = stored.find((one) => one.name === row.name)
    if (known) {
      kept.add(known.name)
      await tx.update(child.name, known.name, values, { activity: false })
    } else kept.add((await tx.insert(child.name, values, { activity: false })).name)
  }
  for (const row of stored) if (!kept.has(row.name)) await tx.delete(child.name, row.name, { activity: false })
}
