import { parse } from 'qs'
import { isObject } from '#shared/parse-json.ts'
import type { ReceivedRequest, SimulatedResponse } from '../simulated-vendor.ts'
import type { IntentError, Metadata, StripeState } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

/** Everything a request needs. */
export interface Call {
  readonly state: StripeState
  /** Of the query and the form together. */
  readonly params: Json
  /** Parts of the path that stand for an id. */
  readonly ids: readonly string[]
  readonly effect: 'lag' | 'fail_later' | null
  /** Who asks knows only the publishable key: browsers. */
  readonly isPublic: boolean
}

/** A request that is not carried out. */
export class Refusal extends Error {
  readonly response: SimulatedResponse

  constructor(status: number, error: Json & { readonly message: string }) {
    super(error.message)
    this.response = { status, body: { error } }
  }
}

export function invalid(message: string, more: { code?: string; param?: string; status?: number } = {}): Refusal {
  const { status = 400, ...rest } = more
  return new Refusal(status, { type: 'invalid_request_error', message, ...rest })
}

/** A card that is refused. */
export const refusedCard = (error: IntentError, more: Json = {}): Refusal =>
  new Refusal(error.type === 'card_error' ? 402 : 400, { ...error, ...more })

/** Parameters of a query or form, as deep as the vendor reads them. */
export const parseForm = (text: string): Json => ({ ...parse(text, { depth: 12, arrayLimit: 100 }) })

export function paramsOf({ path, body }: ReceivedRequest): Json {
  const query = path.indexOf('?')
  return { ...parseForm(query < 0 ? '' : path.slice(query + 1)), ...parseForm(body) }
}

/** Refuses parameters that are unknown here, also those of the vendor that the simulator does without. */
export function knowOnly({ params }: Call, names: readonly string[]): void {
  const unknown = Object.keys(params).find((name) => name !== 'expand' && !names.includes(name))
  if (unknown !== undefined)
    throw invalid(`Received unknown parameter: ${unknown}`, { code: 'parameter_unknown', param: unknown })
}

/** Undefined: it was not sent. */
export function textOf(params: Json, name: string): string | undefined {
  const value = params[name]
  if (value !== undefined && typeof value !== 'string') throw invalid(`Invalid string: ${name}`, { param: name })
  return value
}

export function requiredText(params: Json, name: string): string {
  const value = textOf(params, name)
  if (value === undefined || value === '')
    throw invalid(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name })
  return value
}

/** A text that an empty one removes; what it was, if it was not sent. */
export function changedText(params: Json, name: string, before: string | null): string | null {
  const value = textOf(params, name)
  return value === undefined ? before : value === '' ? null : value
}

export function flagOf(params: Json, name: string): boolean | undefined {
  const value = textOf(params, name)
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw invalid(`Invalid boolean: ${value}`, { param: name })
  return value === undefined ? undefined : value === 'true'
}

export function integerOf(params: Json, name: string): number | undefined {
  const value = textOf(params, name)
  if (value === undefined) return undefined
  if (!/^-?\d+$/.test(value))
    throw invalid(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param: name })
  return Number(value)
}

export function choiceOf<T extends string>(params: Json, name: string, choices: readonly T[]): T | undefined {
  const value = textOf(params, name)
  const found = choices.find((one) => one === value)
  if (value !== undefined && found === undefined)
    throw invalid(`Invalid ${name}: must be one of ${choices.join(', ')}`, { param: name })
  return found
}

export function objectOf(params: Json, name: string): Json {
  const value = params[name]
  if (value === undefined) return {}
  if (!isObject(value)) throw invalid(`Invalid object`, { param: name })
  return value
}

export function listOf(params: Json, name: string): readonly Json[] {
  const value = params[name]
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(isObject)) throw invalid('Invalid array', { param: name })
  return value
}

export function textsOf(params: Json, name: string): readonly string[] {
  const value = params[name]
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid('Invalid array', { param: name })
  return value.map(String)
}

/** Metadata after a change: an empty value removes its key, an empty text all of them. */
export function changedMetadata(params: Json, before: Metadata): Metadata {
  if (params['metadata'] === '') return {}
  const sent = Object.entries(objectOf(params, 'metadata')).map(([key, value]): [string, string] => [
    key,
    String(value),
  ])
  const after = Object.fromEntries([...Object.entries(before), ...sent].filter(([, value]) => value !== ''))
  for (const [key, value] of sent) if (value === '') delete after[key]
  if (Object.keys(after).length > 50) throw invalid('Metadata can have up to 50 keys.', { param: 'metadata' })
  const long = Object.entries(after).find(([key, value]) => key.length > 40 || value.length > 500)
  if (long)
    throw invalid('Metadata keys have up to 40 characters and values up to 500.', { param: `metadata[${long[0]}]` })
  return after
}

/** An object that was asked for by its id. */
export function found<T>(objects: ReadonlyMap<string, T>, noun: string, id: string | undefined, param = 'id'): T {
  const object = objects.get(id ?? '')
  if (!object) throw invalid(`No such ${noun}: '${id}'`, { code: 'resource_missing', param, status: 404 })
  return object
}

/** Whether an object is as old as asked for, e.g. `created[gte]`. */
export function isCreatedAsAsked({ params }: Call): (object: { readonly created: number }) => boolean {
  if (typeof params['created'] === 'string') {
    const at = integerOf(params, 'created')
    return ({ created }) => created === at
  }
  const range = objectOf(params, 'created')
  const [gt, gte, lt, lte] = ['gt', 'gte', 'lt', 'lte'].map((name) => integerOf(range, name))
  return ({ created }) =>
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
}

/** Where a list is, and the parameters that choose what is on it. */
interface List {
  readonly url: string
  readonly filters?: readonly string[]
}

/** One page, newest first. */
export function pageOf<T extends { readonly id: string }>(
  call: Call,
  { url, filters = [] }: List,
  objects: readonly T[],
  body: (object: T) => Json,
): Json {
  const { state, params } = call
  knowOnly(call, ['limit', 'starting_after', ...filters])
  const wanted = integerOf(params, 'limit') ?? 10
  if (wanted < 1 || wanted > 100) throw invalid('Invalid limit: must be between 1 and 100', { param: 'limit' })
  const limit = Math.min(wanted, state.options.pageLimit ?? 100)
  const newest = objects.toReversed()
  const after = textOf(params, 'starting_after')
  const from = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && from === 0)
    throw invalid(`No such object: '${after}'`, { code: 'resource_missing', param: 'starting_after' })
  const page = newest.slice(from, from + limit)
  return { object: 'list', data: page.map(body), has_more: newest.length > from + limit, url }
}
