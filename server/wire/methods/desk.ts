import { component } from '#shared/schema.ts'
import { AppError } from '#shared/errors.ts'
import type { ListQuery } from '#server/contracts/documents.ts'
import * as z from 'zod/mini'
import { linkSuggestions, reportPage } from '#shared/responses/desk.ts'
import { msg } from '#shared/localized-message.ts'
import { doctypeParameter, searchParameters } from '../openapi/call-parameters.ts'
import { countParameters, reportParameters } from '../openapi/list-parameters.ts'
import type { Params } from '../request/parameters.ts'
import type { WireMethod } from './method-registry.ts'
import { booleanParameter, optionalText, requiredText, parseStructured } from '../request/parameter-values.ts'
import { countQuery, listQuery } from './rows.ts'

const read = { access: 'self', tokens: 'any', verbs: ['GET', 'POST'], rawParams: true, aboutDocument: true } as const

const aggregates: ReadonlySet<string> = new Set(['count', 'sum', 'avg'])

/** Maps a report's paging parameters and its aggregate to a list request. */
function reportQuery(params: Params): ListQuery {
  const query = {
    ...listQuery({
      ...params,
      limit_page_length: params['page_length'],
      limit: undefined,
      limit_start: params['start'],
    }),
    distinct: booleanParameter(params, 'distinct', false),
  }
  const aggregate = optionalText(params, 'aggregate_function')
  if (aggregate === null) return query
  if (!aggregates.has(aggregate))
    throw new AppError('invalid', msg`The parameter aggregate_function must be count, sum or avg.`, {
      field: 'aggregate_function',
    })
  const on = optionalText(params, 'aggregate_on_doctype')
  if (on !== null && on !== params['doctype']) {
    throw new AppError('invalid', msg`Field not permitted in query: ${on.slice(0, 140)}`, {
      field: 'aggregate_on_doctype',
      excType: 'DataError',
    })
  }
  // Rows are counted by a field that each of them has, unless one is named.
  const named = optionalText(params, 'aggregate_on_field')
  const field = aggregate === 'count' ? (named ?? 'name') : (named ?? requiredText(params, 'aggregate_on_field'))
  // Without groups, the aggregate of all rows is the only one.
  const fields: unknown[] = query.group_by !== undefined && Array.isArray(query.fields) ? query.fields : []
  return { ...query, fields: [...fields, `${aggregate}(${field}) as _aggregate_column`] }
}

/** Methods of Frappe's desk: reports and link field search. */
export const deskMethods: readonly WireMethod[] = [
  {
    ...read,
    name: 'frappe.desk.reportview.get',
    description: 'Rows as lists of values, with their keys; 20 unless `page_length` says otherwise.',
    documented: { doctype: doctypeParameter, ...reportParameters },
    returns: reportPage,
    async run(params, { session, documents }) {
      const rows = await documents.list(session, requiredText(params, 'doctype'), reportQuery(params))
      return { keys: Object.keys(rows[0] ?? {}), values: rows.map((row) => Object.values(row)), user_info: {} }
    },
  },
  {
    ...read,
    name: 'frappe.desk.reportview.get_list',
    description: 'The same rows as objects.',
    documented: { doctype: doctypeParameter, ...reportParameters },
    returns: component('Rows'),
    run: (params, { session, documents }) =>
      documents.list(session, requiredText(params, 'doctype'), reportQuery(params)),
  },
  {
    ...read,
    name: 'frappe.desk.reportview.get_count',
    description: 'Number of documents the caller can read that match the filters.',
    documented: { doctype: doctypeParameter, ...countParameters },
    returns: z.int(),
    run: (params, { session, documents }) => {
      return documents.count(session, requiredText(params, 'doctype'), countQuery(params))
    },
  },
  {
    ...read,
    name: 'frappe.desk.search.search_link',
    description:
      'Documents whose name, title or search fields hold the text, those whose title begins with it first. One or two letters or digits are looked for at the beginnings of words.',
    documented: { doctype: doctypeParameter, ...searchParameters },
    returns: linkSuggestions,
    run(params, { session, documents }) {
      // An empty text is a valid search: it returns the first documents.
      const txt = params['txt'] === '' ? '' : requiredText(params, 'txt')
      const searchfield = optionalText(params, 'searchfield')
      if (searchfield !== null && !/^\w+$/.test(searchfield)) {
        throw new AppError('invalid', msg`Field not permitted in query: ${searchfield}`, {
          field: 'searchfield',
          excType: 'DataError',
        })
      }
      const filters = parseStructured(params, 'filters')
      const length = optionalText(params, 'page_length')
      const linking = optionalText(params, 'reference_doctype')
      return documents.search(session, requiredText(params, 'doctype'), {
        txt: txt.trim(),
        ...(filters === undefined ? {} : { filters }),
        ...(length === null ? {} : { page_length: length }),
        ...(searchfield === null ? {} : { searchfield }),
        ...(linking === null ? {} : { reference_doctype: linking }),
      })
    },
  },
]
