import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import { ref } from './fields.ts'
import { listParameters } from './list-parameters.ts'

/** Parameters of the methods that read them in their raw forms; each method names its own. */

/** The doctype a call is about. */
export const doctypeParameter: ParameterNote = {
  description: 'Name of a doctype, e.g. Site.',
  schema: { type: 'string', examples: ['Site'] },
  reqd: true,
}

/** A name that must be given. */
export function nameParameter(description: string): ParameterNote {
  return { description, schema: { type: ['string', 'integer'] }, reqd: true }
}

/** Name of a document where it may be left out. */
export const optionalName: ParameterNote = {
  description: 'Name of the document.',
  schema: { type: ['string', 'integer', 'null'] },
}

/** Filters of calls that look for one document. */
export const nameOrFiltersParameter: ParameterNote = {
  description: 'Filters, or simply the name of a document.',
  schema: { anyOf: [ref('Filters'), { type: ['string', 'number', 'null'] }] },
  structured: true,
}

const listParameter = (name: 'fields' | 'order_by' | 'as_dict'): ParameterNote => listParameters[name] as ParameterNote

/** Which fields. */
export const fieldsParameter: ParameterNote = listParameter('fields')
/** Which one comes first. */
export const orderByParameter: ParameterNote = listParameter('order_by')

/** Shape of a value. */
export const asDictParameter: ParameterNote = {
  description: 'Off: the bare value, or a list of values where fieldname is a list.',
  schema: ref('Flag'),
}

/** One field or several. */
export const fieldNameParameter: ParameterNote = {
  description: 'Name of a field, or a list of names; `name` without it.',
  schema: ref('FieldList'),
  structured: true,
}

/** What `set_value` writes. */
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
  description: 'The document with its doctype; its fields are those of the doctype. Unknown keys are ignored.',
  schema: docSchema,
  reqd: true,
  structured: true,
}

/** Several documents in a call. */
export function docsParameter(description: string, most: number): ParameterNote {
  return {
    description,
    schema: { type: 'array', maxItems: most, items: { anyOf: [docSchema, { type: 'string' }] } },
    reqd: true,
    structured: true,
  }
}

/** What `search_link` takes. */
export const searchParameters: Readonly<Record<string, ParameterNote>> = {
  txt: { description: 'What was typed; spaces around it do not count.', schema: { type: 'string' }, reqd: true },
  filters: listParameters['filters'] as ParameterNote,
  page_length: { description: 'Most rows: 10 without it, 50 at the most.', schema: ref('WholeNumber') },
  searchfield: { description: 'One more field to search.', schema: { type: ['string', 'null'] } },
}

/** What `run_doc_method` takes. */
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
