import * as z from 'zod/mini'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { described } from '#shared/schema.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { requiredObjects, requiredText } from '../request/parameter-values.ts'
import { ref } from '../openapi/fields.ts'
import type { WireMethod } from './method-registry.ts'
import { listQuery } from './rows.ts'

/** Maximum counts of a call. */
const maxCounts = 40

/** Counts that run at the same time, so that one call can't take all database connections. */
const parallel = 4

/** Maximum size of all counts together as JSON in characters, the same as of a list: groups can have long values. */
const maxCharacters = 4 * 1024 * 1024

/** Errors that are not about the query: those of a caller with too many calls, and of a busy server. */
const passing: ReadonlySet<string> = new Set<ErrorCode>(['rate_limited', 'unavailable'])

type Count = number | Record<string, unknown>[] | null

/** One count, or one row per value if the query groups. Null if it is refused; alone, the query names the reason. */
async function countOne(documents: Documents, session: Session, query: Record<string, unknown>): Promise<Count> {
  try {
    const doctype = requiredText(query, 'doctype')
    const { filters, or_filters, group_by } = listQuery(query)
    if (group_by === undefined) return await documents.count(session, doctype, { filters, or_filters })
    const fields = [group_by, 'count(name) as n']
    return await documents.list(session, doctype, {
      fields,
      filters,
      or_filters,
      group_by,
      order_by: 'n desc',
      limit: 0,
    })
  } catch (error) {
    if (error instanceof AppError && !passing.has(error.code)) return null
    throw error
  }
}

function tooLarge(): AppError {
  return new AppError('limit_reached', msg`The answer would have more than ${maxCharacters / 1024 / 1024} MB.`, {
    field: 'queries',
    nextAction: msg`Ask for fewer counts at a time.`,
  })
}

/** Counts of a whole screen in one call: on slow networks each call costs a round trip. */
export const countsMethod: WireMethod = {
  access: 'self',
  tokens: 'any',
  verbs: ['GET', 'POST'],
  rawParams: true,
  aboutDocument: true,
  name: 'easydash.api.documents.get_counts',
  description: `Several counts at once, at most ${maxCounts}.`,
  documented: {
    queries: {
      description:
        'Each an object with `doctype`, `filters` and `or_filters` as in `get_count`; with `group_by`, a field, its documents are counted for each value.',
      schema: {
        type: 'array',
        maxItems: maxCounts,
        items: {
          type: 'object',
          properties: {
            doctype: { type: 'string' },
            filters: ref('Filters'),
            or_filters: ref('Filters'),
            group_by: { type: 'string' },
          },
          required: ['doctype'],
        },
      },
      reqd: true,
      structured: true,
    },
  },
  returns: z.array(
    described(
      z.nullable(z.union([z.int(), z.array(z.record(z.string(), z.unknown()))])),
      'In the order of the queries: the number; with `group_by` rows of the value and `n`, highest first, at most 500; null if the query is refused, which `get_count` or `get_list` explains.',
    ),
  ),
  async run(params, { session, documents }) {
    const queries = requiredObjects(params, 'queries', maxCounts)
    const counts: Count[] = []
    let characters = 0
    for (let at = 0; at < queries.length; at += parallel) {
      const some = await Promise.all(
        queries.slice(at, at + parallel).map((query) => countOne(documents, session, query)),
      )
      characters += JSON.stringify(some).length
      if (characters > maxCharacters) throw tooLarge()
      counts.push(...some)
    }
    return counts
  },
}
