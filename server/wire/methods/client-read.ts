import { AppError } from '#shared/errors.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import * as z from 'zod/mini'
import { component, described } from '#shared/schema.ts'
import { documentPermissions } from '#shared/responses/desk.ts'
import { msg } from '#shared/localized-message.ts'
import {
  asDictParameter,
  doctypeParameter,
  fieldNameParameter,
  fieldsParameter,
  nameOrFiltersParameter,
  nameParameter,
  optionalName,
  orderByParameter,
} from '../openapi/call-parameters.ts'
import { countParameters, listParameters } from '../openapi/list-parameters.ts'
import type { Params } from '../request/parameters.ts'
import type { WireMethod } from './method-registry.ts'
import {
  booleanParameter,
  isObject,
  optionalText,
  missingParameter,
  requiredText,
  parseStructured,
} from '../request/parameter-values.ts'
import { countQuery, listQuery, shapeRows } from './rows.ts'

const read = { access: 'self', tokens: 'any', verbs: ['GET', 'POST'], rawParams: true, aboutDocument: true } as const

/** A list in which all fields were left out returns names; drop them if they were not requested. */
function pickFields(row: Record<string, unknown>, fields: readonly unknown[]): Record<string, unknown> {
  const isName = (field: unknown) => typeof field !== 'string' || field === '*' || /\bname\b/.test(field)
  return Object.keys(row).join() === 'name' && !fields.some(isName) ? {} : row
}

/** Filters of a call that also accepts a plain name. */
function filtersOrName(params: Params, name: string): unknown {
  const value = parseStructured(params, name)
  return typeof value === 'string' || typeof value === 'number' ? [['name', '=', String(value)]] : value
}

async function firstRow(
  documents: Documents,
  session: Session,
  doctype: string,
  params: Params,
  fields: unknown,
): Promise<Record<string, unknown> | null> {
  const query = {
    ...listQuery({ order_by: params['order_by'] }),
    fields,
    filters: filtersOrName(params, 'filters'),
    limit: 1,
  }
  return (await documents.list(session, doctype, query))[0] ?? null
}

function missing(doctype: string): AppError {
  return new AppError('not_found', msg`${doctype} not found`)
}

/** The read methods of `frappe.client`. */
export const clientReadMethods: readonly WireMethod[] = [
  {
    ...read,
    name: 'frappe.client.get_list',
    description: 'Rows of a doctype that satisfy the filters.',
    documented: { doctype: doctypeParameter, ...listParameters },
    returns: component('Rows'),
    run: async (params, { session, documents }) =>
      shapeRows(await documents.list(session, requiredText(params, 'doctype'), listQuery(params)), params),
  },
  {
    ...read,
    name: 'frappe.client.get_count',
    description: 'Number of documents the caller can read that match the filters.',
    documented: { doctype: doctypeParameter, ...countParameters },
    returns: z.int(),
    run: (params, { session, documents }) => {
      return documents.count(session, requiredText(params, 'doctype'), countQuery(params))
    },
  },
  {
    ...read,
    name: 'frappe.client.get',
    description: 'One document by name, or the first one that satisfies the filters.',
    documented: {
      doctype: doctypeParameter,
      name: optionalName,
      filters: nameOrFiltersParameter,
      order_by: orderByParameter,
    },
    returns: component('Document'),
    async run(params, { session, documents }) {
      const doctype = requiredText(params, 'doctype')
      const name = optionalText(params, 'name')
      if (name !== null) return documents.get(session, doctype, name)
      const found = (await firstRow(documents, session, doctype, params, ['name']))?.name
      if (typeof found !== 'string') throw missing(doctype)
      return documents.get(session, doctype, found)
    },
  },
  {
    ...read,
    name: 'frappe.client.get_value',
    description: 'Fields of the first document that satisfies the filters.',
    documented: {
      doctype: doctypeParameter,
      fieldname: fieldNameParameter,
      filters: nameOrFiltersParameter,
      order_by: orderByParameter,
      as_dict: asDictParameter,
    },
    returns: described(
      z.unknown(),
      'An object by field, empty when nothing matches. With as_dict off the value, or the list of values.',
    ),
    async run(params, { session, documents }) {
      const fieldname = parseStructured(params, 'fieldname')
      if (fieldname === undefined || fieldname === null || fieldname === '') throw missingParameter('fieldname')
      const fields = Array.isArray(fieldname) ? (fieldname.length === 0 ? ['name'] : fieldname) : [fieldname]
      const found = await firstRow(documents, session, requiredText(params, 'doctype'), params, fields)
      const row = found && pickFields(found, fields)
      if (booleanParameter(params, 'as_dict', true)) return row ?? {}
      const values = row === null ? null : Object.values(row)
      return Array.isArray(fieldname) ? values : (values?.[0] ?? null)
    },
  },
  {
    ...read,
    name: 'frappe.client.get_single_value',
    description: 'A field of the caller’s own document of a doctype, e.g. their organization.',
    documented: { doctype: doctypeParameter, field: nameParameter('Name of the field.') },
    returns: z.unknown(),
    async run(params, { session, documents }) {
      const doctype = requiredText(params, 'doctype')
      const field = requiredText(params, 'field')
      const rows = await documents.list(session, doctype, { fields: [field], limit: 2 })
      if (rows.length > 1) {
        throw new AppError('unsupported', msg`You have several documents of ${doctype}. Use frappe.client.get_value.`, {
          field: 'doctype',
        })
      }
      return Object.values(pickFields(rows[0] ?? {}, [field]))[0] ?? null
    },
  },
  {
    ...read,
    name: 'frappe.client.has_permission',
    description: 'Whether the caller has a right on a document.',
    documented: {
      doctype: doctypeParameter,
      docname: optionalName,
      perm_type: { description: 'read (default), write, create, delete or share.', schema: { type: 'string' } },
    },
    returns: z.object({ has_permission: z.boolean() }),
    async run(params, { session, documents }) {
      const right = optionalText(params, 'perm_type') ?? 'read'
      const rights = await documents.permissions(
        session,
        requiredText(params, 'doctype'),
        optionalText(params, 'docname'),
      )
      return { has_permission: Object.entries(rights).some(([name, bit]) => name === right && bit === 1) }
    },
  },
  {
    ...read,
    name: 'frappe.client.get_doc_permissions',
    description: "The caller's rights on a document.",
    documented: { doctype: doctypeParameter, docname: optionalName },
    returns: documentPermissions,
    run: async (params, { session, documents }) => ({
      permissions: {
        ...(await documents.permissions(session, requiredText(params, 'doctype'), optionalText(params, 'docname'))),
        submit: 0,
      },
    }),
  },
  {
    ...read,
    name: 'frappe.client.validate_link',
    description: 'Name and fields of a linked document; the name is null when it is missing.',
    documented: {
      doctype: doctypeParameter,
      docname: nameParameter('Name of the document.'),
      fields: fieldsParameter,
    },
    returns: z.looseObject({ name: z.nullable(z.string()) }),
    async run(params, { session, documents }) {
      const wanted = parseStructured(params, 'fields') ?? []
      if (!Array.isArray(wanted))
        throw new AppError('invalid', msg`The parameter fields must be a list.`, {
          field: 'fields',
          excType: 'FrappeTypeError',
        })
      const rows = await documents.list(session, requiredText(params, 'doctype'), {
        fields: [...new Set(['name', ...wanted])],
        filters: [['name', '=', requiredText(params, 'docname')]],
        limit: 1,
      })
      const row = rows[0]
      return isObject(row) ? row : { name: null }
    },
  },
]
