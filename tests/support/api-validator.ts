/**
 * Validates requests and responses against the published OpenAPI document: an undocumented path, verb, status or schema is
 * reported as a problem.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseForm } from './api-form.ts'

/** A request and its response. */
export interface ApiExchange {
  readonly verb: string
  /** Path and query from the request line. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Null if it was too large to keep. */
  readonly body: Buffer | null
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, unknown>>
  readonly response: Buffer | null
}

interface Operation {
  readonly security: readonly object[]
  readonly parameters?: readonly {
    name: string
    in: string
    required?: boolean
    schema?: object
    content?: { 'application/json': { schema: object } }
  }[]
  readonly requestBody?: { required?: boolean; content: Record<string, object> }
  readonly responses: Record<string, { $ref?: string; content?: Record<string, object> }>
}

/** The parts of the OpenAPI document that are used. */
export interface ApiDocument {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly responses: Record<string, { content?: Record<string, object> }> }
}

/** Returns the problems of an exchange; empty if it matches the document. */
export interface ApiValidator {
  problems(exchange: ApiExchange, responsesOnly?: boolean): string[]
}

/** Creates a validator for an OpenAPI document. */
export function createApiValidator(document: ApiDocument): ApiValidator {
  const closed = close(document) as ApiDocument
  const ajv = new Ajv2020({ strict: false, allErrors: false, discriminator: true })
  addFormats.default(ajv, { mode: 'full' })
  ajv.addFormat('binary', true)
  ajv.addSchema(closed, 'api')
  const compiled = new Map<string, ValidateFunction>()
  const methods = shortNames(Object.keys(closed.paths))

  function check(pointer: string, value: unknown): string | null {
    let validate = compiled.get(pointer)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `api#${pointer}` })
      compiled.set(pointer, validate)
    }
    if (validate(value)) return null
    const [first] = validate.errors ?? []
    const extra = first?.params['additionalProperty'] ?? first?.params['allowedValues'] ?? ''
    return `${first?.instancePath || '(the whole)'} ${first?.message} ${JSON.stringify(extra)} in ${JSON.stringify(value).slice(0, 400)}`
  }

  /** The documented path of a URL path; null if there is none. */
  function pathOf(address: string): string | null {
    const path = address.replace(/^\/api\/v1(?=\/|$)/, '/api').replace(/(?<=.)\/+$/, '')
    const [, method] = /^\/api\/method\/(.+)$/.exec(path) ?? []
    if (method !== undefined) return methods(decode(method))
    const [, doctype, name] = /^\/api\/resource\/([^/]+)(\/.+)?$/.exec(path) ?? []
    if (/^\/api\/uploads\/[^/]+$/.test(path)) return '/api/uploads/{id}'
    if (doctype === undefined) return Object.hasOwn(closed.paths, path) ? path : null
    const found = `/api/resource/${encodeURIComponent(decode(doctype))}${name === undefined ? '' : '/{name}'}`
    return Object.hasOwn(closed.paths, found) ? found : null
  }

  function answerProblems(path: string, verb: string, operation: Operation, exchange: ApiExchange): string[] {
    const response = operation.responses[exchange.status]
    if (response === undefined) return [`the status ${exchange.status} is not documented`]
    const base = response.$ref?.slice(1) ?? `/paths/${pointer(path)}/${verb}/responses/${exchange.status}`
    const content =
      response.$ref === undefined
        ? response.content
        : closed.components.responses[base.split('/').at(-1) as string]?.content
    const type = mediaType(exchange.responseHeaders['content-type'])
    if (exchange.verb === 'HEAD' || exchange.response === null) return []
    if (content === undefined)
      return exchange.response.length === 0 ? [] : ['an answer without documented content has a body']
    const documented = Object.keys(content).find((one) => one === type || one === '*/*')
    if (documented === undefined) return [`the content type ${type} is not documented`]
    if (documented !== 'application/json') return []
    const value = parsed(exchange)
    if (value === undefined) return ['the answer is not JSON']
    const problem = check(`${base}/content/application~1json/schema`, value)
    return problem === null ? [] : [`answer ${exchange.status}: ${problem}`]
  }

  function requestProblems(path: string, verb: string, operation: Operation, exchange: ApiExchange): string[] {
    const anonymous = exchange.headers.authorization === undefined && exchange.headers.cookie === undefined
    if (anonymous && operation.security.every((one) => Object.keys(one).length > 0))
      return ['it succeeded without credentials']
    const sent = parametersOf(exchange)
    if (sent === null) return []
    const base = `/paths/${pointer(path)}/${verb}`
    const media = mediaType(exchange.headers['content-type'])
    const isFile = operation.requestBody?.content['application/offset+octet-stream'] !== undefined
    if (isFile && media !== '' && operation.requestBody?.content[media] === undefined)
      return [`a body of ${media} is not documented`]
    if (operation.requestBody !== undefined && !isFile) {
      const type = sent.json ? 'application/json' : 'application/x-www-form-urlencoded'
      if (operation.requestBody.content[type] === undefined) return [`a body of ${type} is not documented`]
      const problem = check(`${base}/requestBody/content/${type.replace('/', '~1')}/schema`, sent.params)
      return problem === null ? [] : [`request: ${problem}`]
    }
    return (operation.parameters ?? []).flatMap((parameter, at) => {
      const inContent = parameter.content !== undefined
      // An empty list or object counts as absent.
      const given =
        parameter.in === 'header' ? exchange.headers[parameter.name.toLowerCase()] : sent.params[parameter.name]
      const value = inContent && given === '' ? undefined : given
      if (value === undefined) return parameter.required ? [`request: the parameter ${parameter.name} is missing`] : []
      const problem = check(
        `${base}/parameters/${at}/${inContent ? 'content/application~1json/' : ''}schema`,
        inContent ? jsonOr(value) : value,
      )
      return problem === null ? [] : [`request: ${parameter.name}: ${problem}`]
    })
  }

  return {
    problems(exchange, responsesOnly = false) {
      const address = exchange.target.split('?')[0] ?? '/'
      if (exchange.verb === 'OPTIONS')
        return exchange.status === 200 && exchange.response?.length === 0 ? [] : ['OPTIONS must be an empty 200']
      const command = parametersOf(exchange)?.params['cmd']
      const isCommand = typeof command === 'string' && command !== ''
      const path = isCommand ? methods(command) : pathOf(address)
      if (path === null && !/^\/api(?:\/|$)/.test(address) && !isCommand) return []
      const operations = path === null ? undefined : closed.paths[path]
      const sent = exchange.verb.toLowerCase()
      // HEAD answers as GET, unless it has a meaning of its own.
      const verb = sent === 'head' && operations?.['head'] === undefined ? 'get' : sent
      const operation = operations?.[verb]
      if (path === null || operation === undefined) {
        // Pages and files aren't part of the API.
        if (path === '/' && !isCommand) return []
        if (exchange.status < 400) return ['the document has no such address or verb, but it succeeded']
        return answerProblems('/', 'post', withVerbError(closed.paths['/']?.['post'] as Operation), exchange)
      }
      return [
        ...answerProblems(path, verb, operation, exchange),
        ...(exchange.status < 300 && !responsesOnly ? requestProblems(path, verb, operation, exchange) : []),
      ]
    },
  }
}

/** Responses of an undocumented path: any error. */
function withVerbError(operation: Operation): Operation {
  return { ...operation, responses: { ...operation.responses, 405: { $ref: '#/components/responses/Error405' } } }
}

/** Documented path of a method by its full or short name. */
function shortNames(paths: readonly string[]): (name: string) => string | null {
  const prefix = '/api/method/'
  const names = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length))
  return (name) => {
    if (names.includes(name)) return `${prefix}${name}`
    const fitting = names.filter((one) => one.endsWith(`.${name}`))
    return !name.includes('.') && fitting.length === 1 ? `${prefix}${fitting[0]}` : null
  }
}

/** Disallows additional properties on objects with described properties, except where a schema only extends another one. */
function close(node: unknown, key = ''): unknown {
  if (Array.isArray(node)) return node.map((one) => close(one, key))
  if (typeof node !== 'object' || node === null) return node
  const object = node as Record<string, unknown>
  if (['allOf', 'not', 'contains'].includes(key)) return object
  const copy = Object.fromEntries(Object.entries(object).map(([name, value]) => [name, close(value, name)]))
  // Ajv doesn't support the standard's mapping; the constants of the variants are equivalent.
  if (key === 'discriminator') delete copy['mapping']
  if (key === 'properties') return copy
  if ('properties' in copy && copy['type'] === 'object' && !('additionalProperties' in copy))
    copy['additionalProperties'] = false
  return copy
}

const pointer = (path: string): string =>
  path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D')

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not a valid name; the server responds with an error.
    return text
  }
}

const mediaType = (header: unknown): string => (typeof header === 'string' ? (header.split(';')[0] ?? '').trim() : '')

function parsed({ response, responseHeaders }: ApiExchange): unknown {
  if (response === null) return undefined
  const encoding = responseHeaders['content-encoding']
  const plain =
    encoding === 'gzip' ? gunzipSync(response) : encoding === 'br' ? brotliDecompressSync(response) : response
  try {
    return JSON.parse(plain.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function jsonOr(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    // A plain name where JSON is also allowed.
    return value
  }
}

/** Parameters merged the way the wire does; null if the body wasn't kept. */
function parametersOf(exchange: ApiExchange): { params: Record<string, unknown>; json: boolean } | null {
  if (exchange.body === null) return null
  const query = Object.fromEntries(new URLSearchParams(exchange.target.split('?')[1] ?? ''))
  const type = mediaType(exchange.headers['content-type'])
  if (['GET', 'HEAD'].includes(exchange.verb) || exchange.body.length === 0) return { params: query, json: false }
  if (type === 'application/json') {
    const value = jsonOr(exchange.body.toString('utf8'))
    if (typeof value !== 'object' || value === null) return { params: query, json: false }
    return { params: Array.isArray(value) ? { data: value } : (value as Record<string, unknown>), json: true }
  }
  const form = parseForm(exchange.headers['content-type'] ?? '', exchange.body)
  return { params: { ...query, ...form }, json: false }
}
