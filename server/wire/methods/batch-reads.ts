import * as z from 'zod/mini'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { described } from '#shared/schema.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { countParameters, listParameters } from '../openapi/list-parameters.ts'
import { requiredObjects, requiredText } from '../request/parameter-values.ts'
import type { ParameterNote } from '#shared/json-schema.ts'
import type { WireMethod } from './method-registry.ts'
import { countQuery, listQuery, shapeRows } from './rows.ts'

/** Maximum counts, and lists, of a call. */
const maxCounts = 40
const maxLists = 20

/** Queries that run at the same time, so that one call can't take all database connections. */
const parallel = 4

/** Maximum size of all results together as JSON in characters, the same as of a list. */
const maxCharacters = 4 * 1024 * 1024

/** Errors that are not about the query: those of a caller with too many calls, and of a busy server. */
const transientCodes: ReadonlySet<string> = new Set<ErrorCode>(['rate_limited', 'unavailable'])

type Query = Record<string, unknown>
type Read<T> = (documents: Documents, session: Session, query: Query) => Promise<T>

/** One count, or one row per value if the query groups. */
const countOne: Read<number | Record<string, unknown>[]> = async (documents, session, query) => {
  const doctype = requiredText(query, 'doctype')
  const { filters, or_filters, group_by } = listQuery(query)
  if (group_by === undefined) return await documents.count(session, doctype, countQuery(query))
  const fields = [group_by, 'count(name) as n']
  return await documents.list(session, doctype, {
    fields,
    filters,
    or_filters,
    group_by,
    order_by: 'n desc',
    limit: 0,
  })
}

const listOne: Read<unknown[]> = async (documents, session, query) =>
  shapeRows(await documents.list(session, requiredText(query, 'doctype'), listQuery(query)), query)

/** The result of a query, null if it is refused; alone, the query names the reason. */
async function readOrNull<T>(read: Read<T>, ...given: Parameters<Read<T>>): Promise<T | null> {
  try {
    return await read(...given)
  } catch (error) {
    if (error instanceof AppError && !transientCodes.has(error.code)) return null
    throw error
  }
}

function tooLarge(): AppError {
  return new AppError('limit_reached', msg`The answer would have more than ${maxCharacters / 1024 / 1024} MB.`, {
    field: 'queries',
    nextAction: msg`Send fewer queries at a time.`,
  })
}

const shared = { access: 'self', tokens: 'any', verbs: ['GET', 'POST'], rawParams: true, aboutDocument: true } as const

/** Runs all queries of a call, in order. */
const runAll =
  <T>(read: Read<T>, max: number): WireMethod['run'] =>
  async (params, { session, documents }) => {
    const queries = requiredObjects(params, 'queries', max)
    const results: (T | null)[] = []
    let characters = 0
    for (let at = 0; at < queries.length; at += parallel) {
      const some = await Promise.all(
        queries.slice(at, at + parallel).map((query) => readOrNull(read, documents, session, query)),
      )
      characters += JSON.stringify(some).length
      if (characters > maxCharacters) throw tooLarge()
      results.push(...some)
    }
    return results
  }

/** The parameter `queries`, whose properties are the parameters of a single call. */
const queriesParameter = (
  max: number,
  description: string,
  parameters: Readonly<Record<string, Pick<ParameterNote, 'schema'>>>,
): Record<string, ParameterNote> => {
  const properties = Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema]))
  return {
    queries: {
      description,
      schema: {
        type: 'array',
        maxItems: max,
        items: { type: 'object', properties: { doctype: { type: 'string' }, ...properties }, required: ['doctype'] },
      },
      reqd: true,
      structured: true,
    },
  }
}

/** Reads of a whole screen in one call: on slow networks each call costs a round trip. */
export const batchReadMethods: readonly WireMethod[] = [
  {
    ...shared,
    name: 'easydash.api.documents.get_counts',
    description: `Several counts at once, at most ${maxCounts}.`,
    documented: queriesParameter(
      maxCounts,
      'Each an object with `doctype`, `filters`, `or_filters` and `limit` as in `get_count`; with `group_by`, a field, its documents are counted for each value.',
      { ...countParameters, group_by: { schema: { type: 'string' } } },
    ),
    returns: z.array(
      described(
        z.nullable(z.union([z.int(), z.array(z.record(z.string(), z.unknown()))])),
        'In the order of the queries: the number; with `group_by` rows of the value and `n`, highest first, at most 500; null if the query is refused, which `get_count` or `get_list` explains.',
      ),
    ),
    run: runAll(countOne, maxCounts),
  },
  {
    ...shared,
    name: 'easydash.api.documents.get_lists',
    description: `Several lists at once, at most ${maxLists}.`,
    documented: queriesParameter(
      maxLists,
      'Each an object with the parameters of `get_list`. The rows of all together have at most 4 MB.',
      listParameters,
    ),
    returns: z.array(
      described(
        z.nullable(z.array(z.unknown())),
        'In the order of the queries: the rows; null if the query is refused, which `get_list` explains.',
      ),
    ),
    run: runAll(listOne, maxLists),
  },
]
