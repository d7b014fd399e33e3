/** Judges exchanges by a vendor's OpenAPI description, whose schemas are JSON Schema 2020-12 as they are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'qs'
import type { ReceivedRequest, SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'

export type Judge = (request: ReceivedRequest, response: SimulatedResponse) => string | null

type Schema = Readonly<Record<string, unknown>>

/** Descriptions in this folder. */
type DescriptionName = 'hetzner' | 'digitalocean' | 'github' | 'stripe' | 'aws-ec2' | 'aws-s3'

/** Reads a vendor's API description. */
export function description(name: DescriptionName): Schema {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8')) as Schema
}

const formType = 'application/x-www-form-urlencoded'

/** As nested as vendors read it. */
const parseForm = (text: string): unknown => ({ ...parse(text, { depth: 12, arrayLimit: 100 }) })

const object = (value: unknown): Schema => (isObject(value) ? value : {})

const judges = new Map<DescriptionName, Judge>()

/**
 * Describes how an exchange differs from the description; null if it matches. Properties that the description does not have are
 * errors, too: otherwise a misspelled optional one would pass. Bodies that are neither JSON nor forms are not judged.
 */
export function openApiJudge(name: DescriptionName): Judge {
  const judge = judges.get(name) ?? createJudge(closeSchemas(description(name)))
  judges.set(name, judge)
  return judge
}

function createJudge(document: Schema): Judge {
  const paths = object(document['paths'])
  const [ajv, queryAjv] = [{}, { coerceTypes: 'array' as const }].map((options) => {
    const made = new Ajv2020({ strict: false, allErrors: true, ...options })
    addFormats.default(made)
    for (const format of ['int64', 'int32', 'float', 'double', 'decimal', 'repo.nwo']) made.addFormat(format, true)
    return made.addSchema(document, 'doc')
  }) as [Ajv2020, Ajv2020]

  /** `by`: values of queries and forms are texts. */
  const differs = (what: string, pointer: readonly string[], value: unknown, by = ajv): string | null => {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const validate = by.getSchema(`doc#/${path}`)
    if (!validate) return `${what} is not described`
    return validate(value) === true ? null : `${what}: ${ajv.errorsText(validate.errors)}`
  }

  const queries = new Map<string, ValidateFunction>()
  function queryProblem(where: string, operation: Schema, query: string): string | null {
    const list = Array.isArray(operation['parameters']) ? operation['parameters'] : []
    const parameters = list.map((one) => resolved(document, object(one))).filter((one) => one['in'] === 'query')
    // What they refer to is in the description, which this schema is no part of.
    const schemaOf = (one: Schema): unknown => parseJson(JSON.stringify(one['schema']).replaceAll('"#/', '"doc#/'))
    const properties = Object.fromEntries(
      parameters.map((one) => [String(one['name']).replace('[]', ''), schemaOf(one)]),
    )
    const validate = queries.get(where) ?? queryAjv.compile({ type: 'object', properties, additionalProperties: false })
    queries.set(where, validate)
    return validate(parseForm(query)) ? null : `query of ${where}: ${queryAjv.errorsText(validate.errors)}`
  }

  return (request, response) => {
    const url = new URL(request.path, 'http://vendor')
    const path = Object.keys(paths).find((one) =>
      new RegExp(`^${one.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(url.pathname),
    )
    const verb = request.method.toLowerCase()
    const where = `${request.method} ${url.pathname}`
    const operation = object(object(paths[path ?? ''])[verb])
    if (path === undefined || !('responses' in operation)) return `${where} is not described`
    const query = queryProblem(`${request.method} ${path}`, operation, url.search.slice(1))
    if (query !== null) return query
    const at = ['paths', path, verb]
    const json = ['content', 'application/json', 'schema']
    if (request.body !== '' || 'requestBody' in operation) {
      const [type] = Object.keys(object(object(operation['requestBody'])['content']))
      const problem =
        type === formType
          ? differs(
              `body of ${where}`,
              [...at, 'requestBody', 'content', formType, 'schema'],
              parseForm(request.body),
              queryAjv,
            )
          : differs(`body of ${where}`, [...at, 'requestBody', ...json], parseJson(request.body))
      // What the vendor refuses for its body may be wrong.
      if (problem !== null && response.status < 400) return problem
    }
    if (response.type !== undefined) return null
    const responses = object(operation['responses'])
    const status = String(response.status)
    const key = [status, `${status[0]}XX`, 'default'].find((one) => one in responses)
    if (key === undefined) return `${where} never answers ${status}`
    const reference = object(responses[key])['$ref']
    const base = typeof reference === 'string' ? reference.slice(2).split('/') : [...at, 'responses', key]
    if (!('content' in resolved(document, object(responses[key]))))
      return response.body === null ? null : `${status} of ${where} has no body`
    return differs(`${status} of ${where}`, [...base, ...json], response.body)
  }
}

function resolved(document: Schema, value: Schema): Schema {
  const reference = value['$ref']
  if (typeof reference !== 'string') return value
  return reference
    .slice(2)
    .split('/')
    .reduce<Schema>((found, part) => object(found[part]), document)
}

/** The description with schemas that allow no other properties than those they name. */
function closeSchemas(document: Schema): Schema {
  /** Whether a schema describes any properties, itself or through what it is composed of. */
  const names = (schema: Schema): boolean =>
    'properties' in schema ||
    (typeof schema['$ref'] === 'string' && names(resolved(document, schema))) ||
    ['allOf', 'anyOf', 'oneOf'].some((key) => {
      const parts = schema[key]
      return Array.isArray(parts) && parts.some((part) => names(object(part)))
    })
  /** `isValue`: the schema alone describes a value; parts of a composition may not reject the properties of other parts. */
  const close = (schema: unknown, isValue: boolean): unknown => {
    if (!isObject(schema)) return schema
    const inside = Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (key === 'properties') return [key, mapValues(value, (one) => close(one, true))]
      if (['items', 'additionalProperties'].includes(key)) return [key, close(value, true)]
      if (['allOf', 'anyOf', 'oneOf'].includes(key) && Array.isArray(value))
        return [key, value.map((one) => close(one, false))]
      return [key, value]
    })
    return { ...Object.fromEntries(inside), ...(isValue && names(schema) && { unevaluatedProperties: false }) }
  }
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => walk(one, ''))
    if (!isObject(value)) return value
    if (key === 'schema') return close(value, true)
    if (key === 'schemas') return mapValues(value, (one) => close(one, false))
    return mapValues(value, walk)
  }
  return object(walk(document, ''))
}

function mapValues(value: unknown, change: (value: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object(value)).map(([key, one]) => [key, change(one, key)]))
}
