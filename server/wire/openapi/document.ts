import type { Doctype } from '#shared/doctype.ts'
import * as z from 'zod/mini'
import type { JsonSchema } from '#shared/json-schema.ts'
import { jsonSchemaOf } from '#shared/schema.ts'
import type { Registry } from '../methods/method-registry.ts'
import { doctypePaths, doctypeSchemas, documentSchemas } from './doctypes.ts'
import { errorRefs, errorResponses, errorSchema, serverMessagesSchema } from './errors.ts'
import { ref, schemaName, inputFormats } from './fields.ts'
import { listSchemas } from './list-parameters.ts'
import { uploadPaths } from './uploads.ts'
import { methodGroups, methodPaths, groupOf } from './methods.ts'

/** Sources of the reference: the same objects the server itself uses. */
export interface Reference {
  readonly registry: Registry
  readonly doctypes: readonly Doctype[]
  readonly productName: string
  readonly version: string
  /** Public URL of the installation, without trailing slash. */
  readonly url: string
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, object>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: object
    readonly securitySchemes: object
  }
  readonly [key: string]: unknown
}

const introduction = `Frappe's wire protocol: clients for Frappe (frappe-js-sdk, frappe-react-sdk) work unmodified.

- Methods answer \`{"message": …}\`, documents \`{"data": …}\`. A method that returns null leaves the key out.
- Every address below /api also works below /api/v1, and a slash at its end does not count.
- Parameters come from a JSON body, which replaces the others, or from query and form together. Unknown ones are ignored. Lists and objects can be native JSON or JSON text.
- A request to any address with the parameter \`cmd\` calls the method it names; to that of an upload, uploads only.
- An empty parameter counts as not given.
- HEAD answers as GET without the body, OPTIONS with an empty 200.
- Points in time are UTC, \`YYYY-MM-DD HH:MM:SS.ffffff\`; yes and no are 1 and 0.
- Only methods that accept GET are called with GET, and they change nothing.

The readable page with the first steps, the language of lists and the sockets is at /api/docs.`

/** Describes the whole API. Generated once, on the first request. */
export function createOpenApi(reference: Reference): OpenApiDocument {
  const { registry, doctypes } = reference
  const used = new Set(registry.all.map(({ name }) => groupOf(name)))
  return {
    openapi: '3.1.0',
    info: {
      title: `${reference.productName} API`,
      version: reference.version,
      summary: 'Sites, servers, organizations and everything around them.',
      description: introduction,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    } as OpenApiDocument['info'],
    servers: [{ url: reference.url, description: 'This installation' }],
    externalDocs: { url: `${reference.url}/api/docs`, description: 'Readable page' },
    tags: [
      ...methodGroups.filter((name) => used.has(name)).map((name) => ({ name })),
      ...doctypes.map(({ name, plural }) => ({ name, description: plural ?? name })),
      { name: 'Uploads', description: 'Large files in parts' },
      { name: 'Reference', description: 'This documentation' },
      { name: 'Health', description: 'For the people who run it' },
    ],
    paths: {
      ...methodPaths(registry),
      ...Object.assign({}, ...doctypes.map(doctypePaths)),
      ...uploadPaths,
      ...commandPath,
      ...referencePaths,
      ...healthPaths,
    },
    components: {
      schemas: {
        ...Object.assign({}, ...doctypes.map(doctypeSchemas)),
        Document: {
          description: 'A document of any doctype, its empty fields null.',
          oneOf: doctypes.map(({ name }) => ref(schemaName(name))),
          discriminator: {
            propertyName: 'doctype',
            mapping: Object.fromEntries(doctypes.map(({ name }) => [name, `#/components/schemas/${schemaName(name)}`])),
          },
        },
        ...documentSchemas,
        Rows: rows,
        Error: errorSchema(),
        ServerMessages: serverMessagesSchema,
        ...inputFormats,
        ...listSchemas,
      },
      responses: errorResponses(),
      securitySchemes,
    },
  }
}

const rows: JsonSchema = {
  type: 'array',
  items: { anyOf: [{ type: 'object', additionalProperties: true }, { type: 'array' }] },
  maxItems: 500,
  description: 'Rows: objects by field or alias, or lists of values when as_dict is off.',
}

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sid',
    description: 'The cookie of a login. Reading needs nothing else.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Frappe-CSRF-Token',
    description:
      'With the cookie, for every POST, PUT and DELETE: the token of that session, which easydash.api.session.boot gives. May be the parameter csrf_token as well.',
  },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An API token: `token KEY:SECRET`. Cookies are then ignored, and no CSRF token is required.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'The same API token: key as user, secret as password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same API token: `Bearer KEY:SECRET`.' },
}

/** Any path accepts calls with `cmd`; clients use this one. */
const commandPath = {
  '/': {
    post: {
      operationId: 'command',
      tags: ['Documents by method'],
      summary: 'Call a method by the parameter cmd',
      description:
        'As /api/method/{cmd} with the same parameters: access, parameters and answers are the method’s own.',
      security: [{}, { session: [], csrf: [] }, { token: [] }, { basic: [] }, { bearer: [] }],
      requestBody: {
        required: true,
        content: Object.fromEntries(
          ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
            type,
            {
              schema: {
                type: 'object',
                properties: { cmd: { type: 'string', description: 'Name of the method.' } },
                required: ['cmd'],
                additionalProperties: true,
              },
            },
          ]),
        ),
      },
      responses: {
        '200': {
          description: 'The method’s response.',
          content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
        },
        ...errorRefs(),
      },
    },
  },
}

const parts = z.object({
  status: z.enum(['ok', 'unavailable']),
  checks: z.record(z.string(), z.string()),
})
const json = (description: string, schema: JsonSchema) => ({ description, content: { 'application/json': { schema } } })
function plain(operationId: string, tag: string, summary: string, responses: object): object {
  return { get: { operationId, tags: [tag], summary, security: [{}], responses } }
}

const referencePaths = {
  '/api/openapi.json': plain('openapi', 'Reference', 'This document', {
    '200': json('OpenAPI 3.1', { type: 'object', additionalProperties: true }),
    '304': { description: 'Not changed since the ETag that was sent.' },
  }),
  '/api/docs': plain('docs', 'Reference', 'The readable page', {
    '200': { description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } },
  }),
}

const healthPaths = {
  '/healthz': plain('healthz', 'Health', 'Whether the process lives', {
    '200': json('It does.', jsonSchemaOf(z.object({ status: z.literal('ok') }))),
  }),
  '/readyz': plain('readyz', 'Health', 'Whether it can work: database and migrations', {
    '200': json('It can.', jsonSchemaOf(parts)),
    '503': json('It cannot; `checks` says why.', jsonSchemaOf(parts)),
  }),
  '/metrics': plain('metrics', 'Health', 'Figures for Prometheus, for this machine and holders of its token', {
    '200': { description: 'Figures', content: { 'text/plain': { schema: { type: 'string' } } } },
    '403': { $ref: '#/components/responses/Error403' },
  }),
}
