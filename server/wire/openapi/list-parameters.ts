import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import type { RequestOperator } from '#server/documents/documents.ts'
import { adjacentPeriodNames, timespanNames } from '#server/documents/documents.ts'
import { ref } from './fields.ts'

/** Filter operators with a description of their value. The type guarantees that the list is complete. */
export const operatorNotes: Readonly<Record<RequestOperator, { value: string; note: string; example: string }>> = {
  '=': { value: 'one value', note: 'null and "" match what is unset', example: '["status","=","Live"]' },
  '!=': { value: 'one value', note: 'also written <>; unset rows match', example: '["status","!=","Archived"]' },
  '>': { value: 'one value', note: 'greater', example: '["disk_used",">",1000000]' },
  '<': { value: 'one value', note: 'less', example: '["response_ms","<",200]' },
  '>=': { value: 'one value', note: 'greater or equal', example: '["creation",">=","2026-01-01"]' },
  '<=': { value: 'one value', note: 'less or equal', example: '["creation","<=","2026-12-31"]' },
  like: {
    value: 'text with % and _',
    note: '% stands for any text, _ for one character; upper and lower case alike',
    example: '["domain","like","%shop%"]',
  },
  'not like': { value: 'text with % and _', note: 'unset rows match', example: '["domain","not like","test-%"]' },
  in: {
    value: 'list, or text with commas',
    note: 'any of up to 500 values',
    example: '["status","in",["Live","Suspended"]]',
  },
  'not in': {
    value: 'list, or text with commas',
    note: 'unset rows match',
    example: '["php_version","not in","8.2,8.3"]',
  },
  between: {
    value: 'list of two',
    note: 'both ends belong to it; a day given for a point in time means the whole day',
    example: '["creation","between",["2026-01-01","2026-01-31"]]',
  },
  is: { value: 'set or not set', note: 'null and "" are both not set', example: '["archived_at","is","not set"]' },
  timespan: {
    value: 'name of a span',
    note: timespanNames.join(', '),
    example: '["creation","timespan","last 7 days"]',
  },
  previous: {
    value: adjacentPeriodNames.join(', '),
    note: 'the whole weeks, months or years before the running one',
    example: '["creation","previous","1 month"]',
  },
  next: {
    value: adjacentPeriodNames.join(', '),
    note: 'the whole weeks, months or years after the running one',
    example: '["archived_at","next","1 week"]',
  },
}

const scalar: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }
const operator: JsonSchema = {
  description: `One of ${Object.keys(operatorNotes).join(', ')}; upper and lower case alike, empty means =.`,
  type: ['string', 'null'],
  examples: Object.keys(operatorNotes),
}

/** Named schemas of list queries. */
export const listSchemas: Readonly<Record<string, JsonSchema>> = {
  FilterOperator: operator,
  FilterValue: { anyOf: [scalar, { type: 'array', items: scalar, maxItems: 500 }] },
  Filters: {
    description:
      'At most 50 conditions: a list of [field, operator, value] or [doctype, field, operator, value]; a single such triple; an object {field: value} or {field: [operator, value]}; or a list of such objects. See the language of lists on the readable page.',
    anyOf: [
      {
        type: 'array',
        items: {
          anyOf: [
            { type: 'array', minItems: 2, maxItems: 5 },
            { type: 'object' },
            { type: ['string', 'number', 'boolean', 'null'] },
          ],
        },
      },
      { type: 'object' },
    ],
    examples: [[['status', '=', 'Live']], { status: ['in', ['Live', 'Suspended']] }],
  },
  FieldList: {
    description:
      'Names of fields, each `field`, `field as alias`, `link.field`, `*`, or an aggregate: `count(*)`, `count`, `sum`, `avg`, `min` or `max` of a field, also as {"COUNT": "name", "as": "n"}. At most 100.',
    anyOf: [
      { type: 'array', maxItems: 100, items: { anyOf: [{ type: 'string', maxLength: 300 }, { type: 'object' }] } },
      { type: 'string' },
    ],
    examples: [
      ['name', 'domain', 'status'],
      ['status', 'count(name) as n'],
    ],
  },
}

const fields: ParameterNote = {
  description:
    'What each row holds; only `name` without it. Fields the caller cannot read are omitted. Rows of more than 4 MB in total are rejected (417).',
  schema: ref('FieldList'),
  structured: true,
}
const filters: ParameterNote = {
  description: 'Conditions that must all hold.',
  schema: ref('Filters'),
  structured: true,
}
const orFilters: ParameterNote = {
  description:
    'Conditions of which at least one must hold, in addition to `filters`; of a list of lists of conditions, at least one of each list.',
  schema: { anyOf: [ref('Filters'), { type: 'array', items: ref('Filters') }] },
  structured: true,
}
const orderBy: ParameterNote = {
  description: 'Fields or aliases with asc or desc, separated by commas. Without it the newest come first.',
  schema: { type: ['string', 'null'], maxLength: 500, examples: ['domain asc, creation desc'] },
}
const groupBy: ParameterNote = {
  description: 'Fields separated by commas; then `fields` holds these and aggregates.',
  schema: { type: ['string', 'null'], maxLength: 500, examples: ['status'] },
}
const start: ParameterNote = {
  description: 'Number of rows to skip.',
  schema: ref('WholeNumber'),
}
const length = (usual: number): ParameterNote => ({
  description: `Maximum number of rows; ${usual} by default. 0 means 500, which is also the limit.`,
  schema: ref('WholeNumber'),
})
const asDict: ParameterNote = {
  description: 'Off: each row is a list of values in the order of `fields`.',
  schema: ref('Flag'),
}

/** Parameters of all lists. `limit_page_length` takes precedence over `limit`. */
export const listParameters = {
  fields,
  filters,
  or_filters: orFilters,
  order_by: orderBy,
  group_by: groupBy,
  limit_start: start,
  limit: length(20),
  limit_page_length: length(20),
  as_dict: asDict,
} satisfies Readonly<Record<string, ParameterNote>>

/** Parameters of counts. */
export const countParameters: Readonly<Record<string, ParameterNote>> = {
  filters,
  or_filters: orFilters,
  limit: {
    description:
      'Counts no further than this; 0 or absent for all. Large counts are slow, and "more than 1,000" is often enough.',
    schema: ref('WholeNumber'),
  },
}

/** Parameters of reports. */
export const reportParameters: Readonly<Record<string, ParameterNote>> = {
  fields,
  filters,
  or_filters: orFilters,
  order_by: orderBy,
  group_by: groupBy,
  start,
  page_length: length(20),
  aggregate_function: {
    description: 'With group_by: adds the column `_aggregate_column`.',
    schema: { enum: ['count', 'sum', 'avg', '', null] },
  },
  distinct: { description: 'Each row once.', schema: ref('Flag') },
  aggregate_on_field: { description: 'Field of that aggregate.', schema: { type: ['string', 'null'] } },
}
