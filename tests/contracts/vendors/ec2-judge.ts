/** Judges exchanges by the vendor's own model of EC2: the protocol of its forms and XML answers. */
import { readEc2Xml, type Ec2Value } from '#server/providers/aws/ec2-xml.ts'
import { description, type Judge } from './openapi-judge.ts'

interface Shape {
  readonly type: string
  readonly members?: Readonly<Record<string, { shape: string; locationName?: string; queryName?: string }>>
  readonly member?: { shape: string }
  readonly enum?: readonly string[]
}

interface Model {
  readonly metadata: { readonly apiVersion: string }
  readonly operations: Readonly<Record<string, { input: { shape: string }; output?: { shape: string } }>>
  readonly shapes: Readonly<Record<string, Shape>>
}

/** Describes how an exchange differs from the model; null if it matches. */
export function ec2Judge(): Judge {
  const model = description('aws-ec2') as unknown as Model
  return (request, response) => {
    const form = new URLSearchParams(request.body)
    const action = form.get('Action') ?? ''
    const operation = model.operations[action]
    if (request.path !== '/' || !operation) return `${request.path} ${action} is not described`
    if (form.get('Version') !== model.metadata.apiVersion) return `${action} without its version`
    for (const [name, value] of form) {
      if (name === 'Action' || name === 'Version') continue
      const problem = parameterProblem(model, operation.input.shape, name.split('.'), value)
      if (problem !== null) return `${action}, ${name}: ${problem}`
    }
    if (!response.type?.startsWith('text/xml')) return null
    const answer = readEc2Xml(String(response.body))
    if (response.status >= 400) {
      const isError = /<Response><Errors><Error><Code>[\w.]+<\/Code><Message>/.test(String(response.body))
      return isError && answer !== null ? null : `${action}: not an error of EC2`
    }
    if (answer === null || typeof answer === 'string' || Array.isArray(answer)) return `${action}: not an answer of EC2`
    const { requestId, ...output } = answer
    if (typeof requestId !== 'string') return `${action}: without requestId`
    if (operation.output) return outputProblem(model, operation.output.shape, output, action)
    return JSON.stringify(output) === '{"return":"true"}' ? null : `${action} only says that it is done`
  }
}

/** A name in requests is that of the query, else the capitalized one of answers, else the member's. */
function parameterProblem(model: Model, shapeName: string, parts: readonly string[], value: string): string | null {
  const shape = model.shapes[shapeName]
  const [part, ...rest] = parts
  if (!shape) return `no shape ${shapeName}`
  if (shape.type === 'structure') {
    const [, member] =
      Object.entries(shape.members ?? {}).find(([name, { locationName, queryName }]) => {
        const capitalized = locationName && locationName.charAt(0).toUpperCase() + locationName.slice(1)
        return part === (queryName ?? capitalized ?? name)
      }) ?? []
    return member ? parameterProblem(model, member.shape, rest, value) : 'no such parameter'
  }
  if (shape.type === 'list')
    return shape.member && /^[1-9]\d*$/.test(part ?? '')
      ? parameterProblem(model, shape.member.shape, rest, value)
      : 'a list is numbered'
  return part === undefined ? scalarProblem(shape, value) : 'not a structure'
}

function outputProblem(model: Model, shapeName: string, value: Ec2Value, where: string): string | null {
  const shape = model.shapes[shapeName]
  if (!shape) return `no shape ${shapeName}`
  if (shape.type === 'list') {
    if (value === '') return null
    if (!Array.isArray(value)) return `${where} is no list`
    for (const item of value) {
      const problem = outputProblem(model, shape.member?.shape ?? '', item, `${where}[]`)
      if (problem !== null) return problem
    }
    return null
  }
  if (shape.type === 'structure') {
    if (typeof value === 'string' || Array.isArray(value)) return `${where} is no structure`
    for (const [field, content] of Object.entries(value)) {
      const member = Object.entries(shape.members ?? {}).find(
        ([name, one]) => field === (one.locationName ?? name),
      )?.[1]
      if (!member) return `${where} has no ${field}`
      const problem = outputProblem(model, member.shape, content, `${where}.${field}`)
      if (problem !== null) return problem
    }
    return null
  }
  if (typeof value !== 'string') return `${where} is no ${shape.type}`
  const problem = scalarProblem(shape, value)
  return problem === null ? null : `${where}: ${problem}`
}

function scalarProblem(shape: Shape, value: string): string | null {
  const isRight =
    shape.type === 'boolean'
      ? /^(?:true|false)$/.test(value)
      : ['integer', 'long'].includes(shape.type)
        ? /^-?\d+$/.test(value)
        : (shape.enum?.includes(value) ?? true)
  return isRight ? null : `"${value}" is no ${shape.type}`
}
