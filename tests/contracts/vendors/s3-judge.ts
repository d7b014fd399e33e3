/** Judges exchanges by the vendor's own model of S3: paths, parameters, headers and XML (https://smithy.io/2.0/aws/protocols/aws-restxml-protocol.html). */
import { readEc2Xml, type Ec2Value } from '#server/providers/aws/ec2-xml.ts'
import type { ReceivedRequest, SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { description, type Judge } from './openapi-judge.ts'

interface Member {
  readonly shape: string
  readonly location?: string
  readonly locationName?: string
}

interface Shape {
  readonly type: string
  readonly members?: Readonly<Record<string, Member>>
  readonly member?: Member
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly payload?: string
}

interface Operation {
  readonly http: { readonly method: string; readonly requestUri: string; readonly responseCode?: number }
  readonly input: { readonly shape: string }
  readonly output: { readonly shape: string }
}

interface Model {
  readonly operations: Readonly<Record<string, Operation>>
  readonly shapes: Readonly<Record<string, Shape>>
}

/** Headers of signatures and of the client, which belong to no operation. */
const common = /^(?:x-amz-(?:date|content-sha256|user-agent)|amz-sdk-.*)$/

/** Describes how an exchange differs from the model; null if it matches. */
export function s3Judge(): Judge {
  const model = description('aws-s3') as unknown as Model
  return (request, response) => {
    const url = new URL(request.path, 'http://store')
    const [name, operation] = operationOf(model, request.method, url) ?? []
    if (!name || !operation) return `${request.method} ${request.path} is not described`
    const input = model.shapes[operation.input.shape]
    const output = model.shapes[operation.output.shape]
    const problem =
      parametersProblem(model, operation, input, url) ??
      headersProblem(model, input, request) ??
      bodyProblem(model, input, request.body, 'its body') ??
      answerProblem(model, operation, output, response)
    return problem === null ? null : `${name}: ${problem}`
  }
}

/** The one that needs the most of the parameters that the path has. */
function operationOf({ operations, shapes }: Model, method: string, url: URL): [string, Operation] | undefined {
  const hasKey = /^\/[^/]+\/./.test(url.pathname)
  const found = Object.entries(operations).flatMap(([name, operation]) => {
    const [path = '', fixed] = operation.http.requestUri.split('?')
    const { members = {}, required = [] } = shapes[operation.input.shape] ?? {}
    const needed = [
      ...new URLSearchParams(fixed),
      ...required.flatMap((one) => {
        const { location, locationName } = members[one] ?? {}
        return location === 'querystring' ? [[locationName ?? one, null] as const] : []
      }),
    ]
    const fits =
      operation.http.method === method &&
      path.includes('{Key+}') === hasKey &&
      needed.every(([one, value]) => url.searchParams.has(one) && (!value || url.searchParams.get(one) === value))
    return fits ? [{ name, operation, needs: needed.length }] : []
  })
  const [best] = found.toSorted((a, b) => b.needs - a.needs)
  return best && [best.name, best.operation]
}

const membersAt = (shape: Shape | undefined, location: string): Readonly<Record<string, Member>> =>
  Object.fromEntries(
    Object.entries(shape?.members ?? {}).flatMap(([name, member]) =>
      member.location === location ? [[(member.locationName ?? name).toLowerCase(), member]] : [],
    ),
  )

function parametersProblem(model: Model, { http }: Operation, input: Shape | undefined, url: URL): string | null {
  const fixed = new URLSearchParams(http.requestUri.split('?')[1])
  const known = membersAt(input, 'querystring')
  for (const [name, value] of url.searchParams) {
    if (fixed.has(name) || name === 'x-id' || name.startsWith('X-Amz-')) continue
    const member = known[name.toLowerCase()]
    const problem = member ? scalarProblem(model.shapes[member.shape], value) : 'no such parameter'
    if (problem !== null) return `${name}: ${problem}`
  }
  return null
}

/** Those that only S3 has; the others are HTTP's. */
function headersProblem(
  model: Model,
  shape: Shape | undefined,
  { headers = {} }: Pick<ReceivedRequest, 'headers'> | Pick<SimulatedResponse, 'headers'>,
): string | null {
  const known = membersAt(shape, 'header')
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith('x-amz-') || common.test(name)) continue
    const member = known[name]
    const problem = member ? scalarProblem(model.shapes[member.shape], String(value)) : 'no such header'
    if (problem !== null) return `${name}: ${problem}`
  }
  return null
}

function bodyProblem(model: Model, shape: Shape | undefined, body: string, where: string): string | null {
  const payload = shape?.payload === undefined ? undefined : shape.members?.[shape.payload]
  const of = payload ? model.shapes[payload.shape] : shape
  if (body === '' || !of || of.type === 'blob') return null
  const content = readEc2Xml(body)
  if (content === null) return `${where} is no XML`
  // A structure that is the whole body, or the members that are nowhere else.
  return contentProblem(model, of, content, where)
}

function answerProblem(
  model: Model,
  { http }: Operation,
  output: Shape | undefined,
  response: SimulatedResponse,
): string | null {
  // Those of a proxy.
  if (response.type?.startsWith('text/')) return null
  if (response.status >= 300) {
    const isError = /<Error><Code>[\w.]+<\/Code><Message>/.test(String(response.body))
    return isError || http.method === 'HEAD' ? null : 'not an error of S3'
  }
  const expected = http.responseCode ?? 200
  if (response.status !== expected && !(response.status === 206 && http.method === 'GET'))
    return `${response.status} instead of ${expected}`
  const content = typeof response.body === 'string' && response.type === 'application/xml' ? response.body : ''
  return headersProblem(model, output, response) ?? bodyProblem(model, output, content, 'its answer')
}

/** Lists are repeated elements, of which the reader has the last. */
function contentProblem(model: Model, shape: Shape | undefined, value: Ec2Value, where: string): string | null {
  if (!shape) return `${where} has no shape`
  if (shape.type === 'list') return contentProblem(model, model.shapes[shape.member?.shape ?? ''], value, `${where}[]`)
  if (shape.type !== 'structure')
    return typeof value === 'string' ? scalarProblem(shape, value) : `${where} is no ${shape.type}`
  if (typeof value === 'string') return value === '' ? null : `${where} is no structure`
  if (Array.isArray(value)) return `${where} is a list`
  for (const [field, content] of Object.entries(value)) {
    const member = Object.entries(shape.members ?? {}).find(
      ([name, one]) => one.location === undefined && field === (one.locationName ?? name),
    )?.[1]
    if (!member) return `${where} has no ${field}`
    const problem = contentProblem(model, model.shapes[member.shape], content, `${where}.${field}`)
    if (problem !== null) return problem
  }
  return null
}

function scalarProblem(shape: Shape | undefined, value: string): string | null {
  const type = shape?.type ?? ''
  const isRight =
    type === 'boolean'
      ? /^(?:true|false)$/.test(value)
      : ['integer', 'long'].includes(type)
        ? /^-?\d+$/.test(value)
        : (shape?.enum?.includes(value) ?? true)
  return isRight ? null : `"${value}" is no ${type}`
}
