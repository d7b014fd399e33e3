import { childFields, standardFields } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import * as z from 'zod/mini'
import type { ParameterNote } from '#shared/json-schema.ts'
import { component, linkTo, nothing } from '#shared/schema.ts'
import { msg, type LocalizedMessage, labelMessage } from '#shared/localized-message.ts'
import {
  docParameter,
  docsParameter,
  doctypeParameter,
  nameParameter,
  settingParameter,
} from '../openapi/call-parameters.ts'
import type { Params } from '../request/parameters.ts'
import type { WireMethod } from './method-registry.ts'
import {
  isObject,
  requiredObject,
  requiredObjects,
  requiredText,
  parseStructured,
} from '../request/parameter-values.ts'

const write = { access: 'self', tokens: 'any', verbs: ['POST', 'PUT'], rawParams: true, aboutDocument: true } as const

/** Maximum number of documents per call. */
const maxDocuments = 200

const serverOwned: ReadonlySet<string> = new Set([...standardFields, ...childFields, 'doctype'])

/** The fields `set_value` writes: one with `value`, or several as an object. */
function valuesToSet(params: Params): Record<string, unknown> {
  const fieldname = parseStructured(params, 'fieldname')
  const values = isObject(fieldname) ? fieldname : { [requiredText(params, 'fieldname')]: params['value'] ?? null }
  if (Object.keys(values).some((name) => serverOwned.has(name)))
    throw new AppError('invalid', msg`Cannot edit standard fields`)
  return values
}

/** The document that an unsupported Frappe method was called for. */
type Target = (params: Params) => { doctype: string; name: string }

const byName =
  (parameter: string): Target =>
  (params) => ({ doctype: requiredText(params, 'doctype'), name: requiredText(params, parameter) })

/**
 * A Frappe method that no doctype here supports. Callers who can write the document get that error; others get the usual
 * permission error.
 */
function unsupported(
  name: string,
  localized: LocalizedMessage,
  target: Target,
  documented: Readonly<Record<string, ParameterNote>>,
): WireMethod {
  return {
    ...write,
    name: `frappe.client.${name}`,
    description: `Not available. ${localized.text}`,
    documented,
    returns: nothing,
    async run(params, { session, documents }) {
      const { doctype, name: document } = target(params)
      await documents.get(session, doctype, document)
      const { write: may } = await documents.permissions(session, doctype, document)
      if (may === 0)
        throw new AppError(
          'forbidden',
          msg`Insufficient Permission for ${labelMessage(doctype)} (${labelMessage('write')})`,
        )
      throw new AppError('unsupported', localized)
    },
  }
}

/** The write methods of `frappe.client`. */
export const clientWriteMethods: readonly WireMethod[] = [
  {
    ...write,
    name: 'frappe.client.set_value',
    description: 'Updates one or more fields of a document.',
    documented: {
      doctype: doctypeParameter,
      name: nameParameter('Name of the document.'),
      fieldname: settingParameter,
      value: { description: 'Value of that field.', schema: {} },
    },
    returns: component('Document'),
    run: (params, { session, documents }) =>
      documents.save(session, requiredText(params, 'doctype'), requiredText(params, 'name'), valuesToSet(params)),
  },
  {
    ...write,
    name: 'frappe.client.insert',
    description: 'Creates a document.',
    documented: { doc: docParameter },
    returns: component('Document'),
    run(params, { session, documents }) {
      const doc = requiredObject(params, 'doc')
      return documents.insert(session, requiredText(doc, 'doctype'), doc)
    },
  },
  {
    ...write,
    name: 'frappe.client.insert_many',
    description: `Creates up to ${maxDocuments} documents, all of them or none, and returns their names.`,
    documented: { docs: docsParameter('Documents, each with its doctype.', maxDocuments) },
    returns: z.array(z.string()),
    async run(params, { session, documents }) {
      const docs = requiredObjects(params, 'docs', maxDocuments)
      const made = await documents.insertMany(
        session,
        docs.map((doc) => ({ doctype: requiredText(doc, 'doctype'), values: doc })),
      )
      return made.map(({ name }) => name)
    },
  },
  {
    ...write,
    name: 'frappe.client.save',
    description: 'Updates a document; a sent `modified` must be the stored one.',
    documented: { doc: docParameter },
    returns: component('Document'),
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
    documented: { doctype: doctypeParameter, name: nameParameter('Name of the document.') },
    returns: nothing,
    extras: { job: linkTo('Job', 'The job that deletes it, where that takes one.') },
    async run(params, { session, documents, extra }) {
      const further = await documents.delete(session, requiredText(params, 'doctype'), requiredText(params, 'name'))
      for (const [key, value] of Object.entries(further)) extra(key, value)
      return null
    },
  },
  {
    ...write,
    name: 'frappe.client.bulk_update',
    description: 'Updates several documents; those that failed are returned with the reason.',
    documented: { docs: docsParameter('Changes, each with doctype and docname.', maxDocuments) },
    returns: z.object({
      failed_docs: z.array(z.object({ doc: z.record(z.string(), z.unknown()), exc: z.string() })),
    }),
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
  unsupported(
    'rename_doc',
    msg`Names never change here, so that links stay right. Change the title of the document instead.`,
    byName('old_name'),
    { doctype: doctypeParameter, old_name: nameParameter('Name of the document.') },
  ),
  unsupported(
    'submit',
    msg`Documents of this kind are not submitted: they count as soon as they are saved.`,
    (params) => {
      const doc = requiredObject(params, 'doc')
      return { doctype: requiredText(doc, 'doctype'), name: requiredText(doc, 'name') }
    },
    { doc: docParameter },
  ),
  unsupported(
    'cancel',
    msg`Documents of this kind are not canceled, as they are not submitted. Delete the document instead.`,
    byName('name'),
    { doctype: doctypeParameter, name: nameParameter('Name of the document.') },
  ),
]
