import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'

/** A file's content is deleted with its document, and both with the document they are attached to. */
export function fileControllers(
  types: readonly Doctype[],
  remove: (storedName: string) => Promise<void>,
): readonly Controller[] {
  const ending = controller(FileDoctype, {
    after_delete({ stored_name: storedName }, { tx }) {
      // After commit: a deletion that is rolled back keeps its content.
      if (storedName !== null) tx.afterCommit(() => remove(storedName))
      return Promise.resolve()
    },
  })
  return [
    ending,
    ...attachableDoctypes(types).map((doctype): Controller => ({
      doctype,
      async after_delete(doc, { tx }) {
        const filters: FilterTriple[][] = [
          [
            ['attached_to_doctype', '=', doctype],
            ['attached_to_name', '=', doc.name],
          ],
        ]
        if (doctype === 'Organization') filters.push([['organization', '=', doc.name]])
        for (const which of filters)
          for (const file of await tx.list(FileDoctype, which)) await tx.delete(FileDoctype, file.name)
      },
    })),
  ]
}

/** Names of the doctypes whose documents can have attachments. */
export function attachableDoctypes(types: readonly Doctype[]): string[] {
  return types.flatMap((type) => (type.attachments ? [type.name] : []))
}
