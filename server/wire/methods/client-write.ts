import { childFields, standardFields } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Params } from '../parameters.ts'
import type { WireMethod } from '../registry.ts'
import { isObject, requiredObject, requiredObjects, requiredText, structured } from '../values.ts'

const write = { access: 'self', verbs: ['POST', 'PUT'], rawParams: true, aboutDocument: true } as const

/** Most documents of one call. */
const maxDocuments = 200

const serverOwned: ReadonlySet<string> = new Set([...standardFields, ...childFields, 'doctype'])

/** The fields `set_value` shall write: one with `value`, or several as an object. */
function valuesToSet(params: Params): Record<string, unknown> {
  const fieldname = structured(params, 'fieldname')
  const values = isObject(fieldname) ? fieldname : { [requiredText(params, 'fieldname')]: params['value'] ?? null }
  if (Object.keys(values).some((name) => serverOwned.has(name)))
    throw new AppError('invalid', 'Cannot edit standard fields')
  return values
}

function unsupported(name: string, sentence: string): WireMethod {
  return {
    ...write,
    name: `frappe.client.${name}`,
    description: `Not available. ${sentence}`,
    run: () => {
      throw new AppError('unsupported', sentence)
    },
  }
}

/** The writing half of `frappe.client`. */
export const clientWriteMethods: readonly WireMethod[] = [
  {
    ...write,
    name: 'frappe.client.set_value',
    description: 'Writes one or several fields of a document.',
    run: (params, { session, documents }) =>
      documents.save(session, requiredText(params, 'doctype'), requiredText(params, 'name'), valuesToSet(params)),
  },
  {
    ...write,
    name: 'frappe.client.insert',
    description: 'Makes a new document.',
    run(params, { session, documents }) {
      const doc = requiredObject(params, 'doc')
      return documents.insert(session, requiredText(doc, 'doctype'), doc)
    },
  },
  {
    ...write,
    name: 'frappe.client.insert_many',
    description: `Makes up to ${maxDocuments} documents, one after the other, and returns their names.`,
    async run(params, { session, documents }) {
      const docs = requiredObjects(params, 'docs', maxDocuments)
      const names: string[] = []
      for (const doc of docs) names.push((await documents.insert(session, requiredText(doc, 'doctype'), doc)).name)
      return names
    },
  },
  {
    ...write,
    name: 'frappe.client.save',
    description: 'Writes a document; a sent `modified` must be the stored one.',
    run(params, { session, documents }) {
      const doc = requiredObject(params, 'doc')
      return documents.save(session, requiredText(doc, 'doctype'), requiredText(doc, 'name'), doc)
    },
  },
  {
    ...write,
    verbs: ['DELETE', 'POST'],
    name: 'frappe.client.delete',
    description: 'Deletes a document.',
    async run(params, { session, documents, extra }) {
      const further = await documents.delete(session, requiredText(params, 'doctype'), requiredText(params, 'name'))
      for (const [key, value] of Object.entries(further)) extra(key, value)
      return null
    },
  },
  {
    ...write,
    name: 'frappe.client.bulk_update',
    description: 'Writes several documents; the ones that failed come back with the reason.',
    async run(params, { session, documents }) {
      const failed: { doc: Record<string, unknown>; exc: string }[] = []
      for (const doc of requiredObjects(params, 'docs', maxDocuments)) {
        const { doctype: _doctype, docname: _docname, ...values } = doc
        try {
          await documents.save(session, requiredText(doc, 'doctype'), requiredText(doc, 'docname'), values)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          failed.push({ doc, exc: error.message })
        }
      }
      return { failed_docs: failed }
    },
  },
  unsupported('rename_doc', 'Documents cannot be renamed.'),
  unsupported('submit', 'Documents cannot be submitted.'),
  unsupported('cancel', 'Documents cannot be cancelled.'),
  unsupported('attach_file', 'Files cannot be attached.'),
]
