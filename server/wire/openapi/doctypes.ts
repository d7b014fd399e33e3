import { changesNothing } from '#shared/action-state.ts'
import { childFields, standardFields, tenantField, type Action, type Doctype } from '#shared/doctype.ts'
import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import { jsonSchemaOf, timestamp } from '#shared/schema.ts'
import { actionResponseSchema, actionBody, actionResult, actionDescription } from './actions.ts'
import { errorRefs } from './errors.ts'
import { responseSchema, inputSchema, isReadOnly, ref, schemaName } from './fields.ts'
import { listParameters } from './list-parameters.ts'
import { responseOf, queryParameters, securityOf, type Operation } from './operations.ts'
import { rolesWith } from './roles.ts'

const standard: Readonly<Record<(typeof standardFields)[number] | (typeof childFields)[number], JsonSchema>> = {
  name: { type: 'string', description: 'Name of the document; it never changes.' },
  owner: { type: 'string', description: 'Email of the user who created it.' },
  creation: { ...jsonSchemaOf(timestamp), description: 'When it was made, UTC.' },
  modified: {
    ...jsonSchemaOf(timestamp),
    description:
      'When it was last changed, UTC. Send it back with a change to get 417 if the document was changed in the meantime.',
  },
  modified_by: { type: 'string', description: 'Email of the user who last changed it.' },
  docstatus: { const: 0, description: 'Always 0.' },
  idx: { type: 'integer', description: 'Place among its siblings, for rows of a table.' },
  parent: { type: ['string', 'null'], description: 'Document the row belongs to.' },
  parentfield: { type: ['string', 'null'], description: 'Field of that document.' },
  parenttype: { type: ['string', 'null'], description: 'Doctype of that document.' },
}

function standardSchemas(type: Doctype): Record<string, JsonSchema> {
  const names = [...standardFields, ...(type.is_child ? childFields : [])]
  return Object.fromEntries(names.map((name) => [name, { ...standard[name], readOnly: true }]))
}

/** Fields visible to clients. */
export function shownFields(type: Doctype) {
  return Object.entries(type.fields).filter(([, field]) => !field.hidden)
}

/** Fields of queries that documents don't have. */
const describeDerived = (derived: NonNullable<Doctype['derived']>): string =>
  Object.entries(derived)
    .map(([name, meaning]) => `\`${name}\` can be selected, filtered and ordered by: ${meaning}.`)
    .join(' ')

/** Fields clients may set. */
function settableFields(type: Doctype) {
  return shownFields(type).filter(([, field]) => !isReadOnly(field))
}

/** The job that makes a document, which the answer to its creation names. */
function startedJob({ actions = {} }: Doctype): Record<string, JsonSchema> {
  const hasJobs = Object.values(actions).some(({ job }) => job)
  const description = 'Only in the answer to its creation: the job that does the rest.'
  return hasJobs ? { job: { type: ['string', 'null'], readOnly: true, description, 'x-link': 'Job' } } : {}
}

/** Schemas of a doctype: the document, a new document, and a change. */
export function doctypeSchemas(type: Doctype): Record<string, JsonSchema> {
  const name = schemaName(type.name)
  const fields = Object.fromEntries(shownFields(type).map(([key, field]) => [key, responseSchema(key, field)]))
  const settable = settableFields(type)
  const tenant = tenantField(type)
  const input = (keys: typeof settable): Record<string, JsonSchema> =>
    Object.fromEntries(keys.map(([key, field]) => [key, inputSchema(key, field)]))
  const required = settable
    .filter(([key, field]) => field.reqd && field.default === undefined && key !== tenant)
    .map(([key]) => key)
  return {
    [name]: {
      type: 'object',
      title: type.name,
      description: `A document of the doctype ${type.name}. Fields the caller cannot read are omitted; /api/resource also omits empty ones.`,
      properties: { doctype: { const: type.name }, ...standardSchemas(type), ...startedJob(type), ...fields },
      required: ['doctype', ...standardFields],
    },
    [`${name}New`]: {
      type: 'object',
      description: `A new ${type.name}. Unknown keys and those the server sets are ignored.`,
      properties: input(settable),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: true,
    },
    [`${name}Change`]: {
      type: 'object',
      description: `Changes to a ${type.name}: the fields to change. Unknown keys and those the server sets are ignored.`,
      properties: {
        modified: { type: 'string', description: 'If given, it must be the stored value.' },
        ...input(settable.filter(([, field]) => !field.set_only_once)),
      },
      additionalProperties: true,
    },
  }
}

const nameParameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of the document.',
  schema: { type: 'string' },
}

/** Path of a doctype's documents. */
export const listPath = (type: Doctype): string => `/api/resource/${encodeURIComponent(type.name)}`

/** `paths` of a doctype. */
export function doctypePaths(type: Doctype): Record<string, object> {
  const name = schemaName(type.name)
  const tags = [type.name]
  const plural = type.plural ?? type.name
  const tokens = type.area !== undefined
  const scope = (access: 'read' | 'write') => (type.area === undefined ? null : `${type.area}:${access}`)
  const document = (description: string) => responseOf(description, { data: ref(name) }, ['data'])
  const operation = (
    verb: string,
    summary: string,
    who: string,
    rest: Pick<Operation, 'responses'> & Partial<Operation>,
  ): Operation => ({
    operationId: `${verb}_${name}`,
    tags,
    summary,
    security: securityOf(verb, { guest: false, tokens }),
    'x-token-scope': scope(verb === 'get' ? 'read' : 'write'),
    ...rest,
    description: `${rest.description ?? ''}\n\nRoles: ${who}.`.trim(),
    responses: { ...rest.responses, ...errorRefs(), '405': { $ref: '#/components/responses/Error405' } },
  })
  const json = (schema: JsonSchema, structuredForm = true) => ({
    content: {
      'application/json': { schema },
      ...(structuredForm ? { 'application/x-www-form-urlencoded': { schema } } : {}),
    },
  })
  const actions = Object.entries(type.actions ?? {})
  return {
    [listPath(type)]: {
      get: operation('get', `List ${plural}`, rolesWith(type, 'read'), {
        operationId: `list_${name}`,
        ...(type.derived && { description: describeDerived(type.derived) }),
        parameters: queryParameters(listParameters),
        responses: { '200': responseOf('The rows.', { data: rowsSchema(type) }, ['data']) },
      }),
      post: operation('post', `New ${type.name}`, rolesWith(type, 'create'), {
        operationId: `insert_${name}`,
        requestBody: json(ref(`${name}New`)),
        responses: { '200': document('The new document.') },
      }),
    },
    [`${listPath(type)}/{name}`]: {
      parameters: [nameParameter],
      get: operation('get', `One ${type.name}`, rolesWith(type, 'read'), {
        parameters: queryParameters(readParameters(actions)),
        responses: { '200': documentResponse(type, actions) },
      }),
      put: operation('put', `Change a ${type.name}`, rolesWith(type, 'write'), {
        requestBody: json(ref(`${name}Change`)),
        responses: { '200': document('The document as it is now.') },
      }),
      delete: operation('delete', `Delete a ${type.name}`, rolesWith(type, 'delete'), {
        responses: { '202': deleted },
      }),
      ...(actions.length === 0
        ? {}
        : {
            post: operation('post', `Run an action of a ${type.name}`, 'as each action says', {
              operationId: `run_${name}`,
              description: actions.map(([key, action]) => actionDescription(key, action)).join('\n\n'),
              requestBody: {
                required: true,
                ...json({ oneOf: actions.map(([key, action]) => actionBody(key, action)) }),
              },
              responses: { '200': actionResponseSchema(type, actions) },
            }),
          }),
    },
  }
}

const readingActions = (actions: readonly (readonly [string, Action])[]) =>
  actions.filter(([, action]) => changesNothing(action))

function readParameters(actions: readonly (readonly [string, Action])[]): Record<string, ParameterNote> {
  const reading = readingActions(actions).map(([key]) => key)
  return {
    expand_links: {
      description: 'On: link fields hold the documents they name, if the caller can read them.',
      schema: ref('Flag'),
    },
    ...(reading.length === 0
      ? {}
      : {
          run_method: {
            description: 'Runs an action that changes nothing; its arguments stand beside it. Others are run by POST.',
            schema: { enum: reading },
          },
        }),
  }
}

const withLinked: JsonSchema = {
  not: { additionalProperties: { not: { type: 'object', required: ['doctype'] } } },
}

/** Named schemas that belong to no single doctype. */
export const documentSchemas: Readonly<Record<string, JsonSchema>> = {
  ExpandedDocument: {
    description: 'With expand_links: as the document, but its link fields, or those of its rows, hold documents.',
    type: 'object',
    additionalProperties: true,
    anyOf: [withLinked, { not: { additionalProperties: { not: { type: 'array', contains: withLinked } } } }],
  },
}

/** Response of reading a document: as stored, with its links expanded, or the result of a read action. */
function documentResponse(type: Doctype, actions: readonly (readonly [string, Action])[]): object {
  const reading = readingActions(actions)
  const data = [
    ref(schemaName(type.name)),
    ref('ExpandedDocument'),
    ...reading.map(([key, action]) => ({ title: key, ...actionResult(action) })),
  ]
  return responseOf(
    'The document, without its empty fields.',
    {
      data: { anyOf: data },
      ...(reading.length === 0
        ? {}
        : { message: {}, docs: { type: 'array', items: ref(schemaName(type.name)) } satisfies JsonSchema }),
    },
    reading.length === 0 ? ['data'] : [],
  )
}

const deleted = responseOf(
  'It is deleted, or the named job deletes it.',
  { data: { const: 'ok' }, message: { const: 'ok' }, job: { type: 'string', 'x-link': 'Job' } },
  ['data', 'message'],
)

/** Rows of a list: their keys are the requested fields or aliases. */
export function rowsSchema(type: Doctype): JsonSchema {
  return {
    type: 'array',
    maxItems: 500,
    items: {
      description: `The requested \`fields\`: each field as in ${type.name}, null when empty; an alias has the type of its expression.`,
      anyOf: [{ type: 'object', additionalProperties: true }, { type: 'array' }],
    },
  }
}
