import type { Session } from '#server/contracts/session.ts'
import type { Doctype } from '#shared/doctype.ts'
import { loadFor } from '../permissions/access.ts'
import { assertNotLinked } from '../permissions/links.ts'
import { transactionCaller, type DocumentsContext } from './documents-context.ts'

/** Deletes a document, or does what its controller does instead. Returns what that adds to the response. */
export async function deleteDocument(
  context: DocumentsContext,
  session: Session,
  type: Doctype,
  name: string,
): Promise<Record<string, unknown>> {
  return context.transactions.run(session, async (tx) => {
    const { doc, locked } = await loadFor(transactionCaller(context, tx), type, name, 'delete', { lock: true })
    if (locked) tx.keep(type, doc)
    for (const controller of context.controllers(type.name)) {
      if (controller.delete_request) return controller.delete_request(doc, { session, tx })
    }
    await assertNotLinked(tx.connection, context.typeByName.types, type, name)
    await tx.delete(type.name, name)
    return {}
  })
}
