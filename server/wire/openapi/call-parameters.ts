import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import { ref } from './fields.ts'
import { listParameters } from './list-parameters.ts'

/** Parameters of methods that receive them raw; each method lists its own. */

/** The doctype of a call. */
export const doctypeParameter: ParameterNote = {
  description: 'Name of a doctype, e.g. Site.',
  schema: { type: 'string', examples: ['Site'] },
  reqd: true,
}

/** A required name. */
export function nameParameter(description: string): ParameterNote {
  return { description, schema: { type: ['string', 'integer'] }, reqd: true }
}

/** An optional document name. */
export const optionalName: ParameterNote = {
  description: 'Name of the document.',
  schema: { type: ['string', 'integer', 'null'] },
}

/** Filters for calls that look up one document. */
export const nameOrFiltersParameter: ParameterNote = {
  description: 'Filters, or simply the name of a document.',
  schema: { anyOf: [ref('Filters'), { type: ['string', 'number', 'null'] }] },
  structured: true,
}

const listParameter = (name: 'fields' | 'order_by' | 'as_dict'): ParameterNote => listParameters[name]

/** The fields to return. */
export const fieldsParameter: ParameterNote = listParameter('fields')
/** The sort order, which decides which document comes first. */
export const orderByParameter: ParameterNote = listParameter('order_by')

/** Shape of the result. */
export const asDictParameter: ParameterNote = {
  description: 'Off: the bare value, or a list of values where fieldname is a list.',
  schema: ref('Flag'),
}

/** One or more fields; required, but also accepted as `fieldname[]`. */
export const fieldNameParameter: ParameterNote = {
  description: 'Name of a field, or a list of names; `name` for an empty list. Required.',
  schema: ref('FieldList'),
  structured: true,
}

/** The fields that `set_value` writes. */
export const settingParameter: ParameterNote = {
  description: 'Name of a field, with `value` beside it; or an object of fields and values.',
  schema: { anyOf: [{ type: 'string' }, { type: 'object' }] },
  reqd: true,
  structured: true,
}

const docSchema: JsonSchema = {
  type: 'object',
  properties: { doctype: { type: 'string' } },
  required: ['doctype'],
  additionalProperties: true,
}

/** A document in a call. */
export const docParameter: ParameterNote = {
  description: 'The document with its doctype and the fields of that doctype. Unknown keys are ignored.',
  schema: docSchema,
  reqd: true,
  structured: true,
}

/** Several documents in a call, at most `most`. */
export function docsParameter(description: string, most: number): ParameterNote {
  return {
    description,
    schema: { type: 'array', maxItems: most, items: { anyOf: [docSchema, { type: 'string' }] } },
    reqd: true,
    structured: true,
  }
}

/** Parameters of `search_link`. */
export const searchParameters: Readonly<Record<string, ParameterNote>> = {
  txt: { description: 'The search text; spaces around it are ignored.', schema: { type: 'string' }, reqd: true },
  filters: listParameters.filters,
  page_length: { description: 'Maximum number of rows: 10 by default, at most 50.', schema: ref('WholeNumber') },
  reference_doctype: {
    description: 'Doctype with the link. For servers of a Site: healthy ones that no job has locked.',
    schema: { type: ['string', 'null'] },
  },
  searchfield: { description: 'One more field to search.', schema: { type: ['string', 'null'] } },
}

/** Parameters of `run_doc_method`. */
export const actionParameters: Readonly<Record<string, ParameterNote>> = {
  method: { description: 'Name of an action of the doctype.', schema: { type: 'string' }, reqd: true },
  dt: { description: 'Doctype, together with dn.', schema: { type: ['string', 'null'] } },
  dn: { description: 'Name of the document.', schema: { type: ['string', 'integer', 'null'] } },
  docs: {
    description:
      'In place of dt and dn: the document as it was read. Only its doctype, its name and `modified` count, which must be the stored one.',
    schema: docSchema,
    structured: true,
  },
  args: {
    description: 'Arguments of the action.',
    schema: { type: 'object', additionalProperties: true },
    structured: true,
  },
}
