/**
 * Generates random list requests for the property test's doctype `Row`, in every format the API accepts. Like the reference
 * implementation that checks them, this imports nothing from the product.
 */
import fc from 'fast-check'

/** One comparison: field, operator, operand. */
export type Comparison = readonly [field: string, operator: string, operand: unknown]

const textValue = fc.constantFrom('Apple', 'apple', 'a', 'b', "o'clock", 'B%n_', 'ä', '10', 'a\\b', 'a b', 'Ä')
const unset = fc.constantFrom(null, '')
const numberValue = fc.oneof(fc.integer({ min: -3, max: 15 }), fc.integer({ min: 0, max: 9 }).map(String))
const flagValue = fc.constantFrom<unknown>(0, 1, '0', '1', true, false)
const dayValue = fc
  .integer({ min: -500, max: 500 })
  .map((days) => new Date(Date.UTC(2026, 4, 13 + days)).toISOString().slice(0, 10))
const momentValue = fc.oneof(
  dayValue,
  fc
    .tuple(dayValue, fc.constantFrom('00:00:00', '10:02:00', '23:59:59.999999', '10:04:00.000004'))
    .map((parts) => parts.join(' ')),
)
const pattern = fc.oneof(
  fc.constantFrom(
    '%a%',
    'A%',
    '_pple',
    '%',
    '',
    '1_',
    "%'%",
    'b%n_',
    'B\\%n\\_',
    '%\\\\%',
    'a\\',
    '%\\',
    'Ä%',
    '%,%',
    '_',
  ),
  fc.string({ unit: fc.constantFrom('a', 'b', 'p', 'l', '%', '_', '\\', 'B', 'n'), maxLength: 5 }),
)

const textField = fc.constantFrom('text', 'pick', '`tabRow`.`text`', '`tabRow`.pick', 'group.title')
const numberField = fc.constantFrom('whole', 'part', '`tabRow`.`whole`', 'group.size')
const momentField = fc.constantFrom('at', 'group.since', '`at`')

/** The same operator in different letter cases. */
const written = (...operators: string[]) =>
  fc.constantFrom(...operators.flatMap((one) => (one === one.toUpperCase() ? [one] : [one, one.toUpperCase()])))
const equality = written('=', '!=', '<>', '')
const comparison = written('>', '<', '>=', '<=')
const membership = written('in', 'not in')

/** Lists as arrays, or as comma-separated text if no value contains a comma. */
function listed(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const list = fc.array(value, { maxLength: 3 })
  const joined = fc.tuple(fc.array(value, { minLength: 1, maxLength: 3 }), fc.constantFrom(',', ', '))
  return fc.oneof(
    list,
    joined.map(([values, comma]) => values.map((one) => (one === null ? '' : String(one))).join(comma)),
  )
}

function pair(value: fc.Arbitrary<string | number>): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.tuple(value, value),
    fc.tuple(value, value).map((two) => two.join(',')),
  )
}

const spans = [
  ...['yesterday', 'today', 'tomorrow', 'Last Week', 'this week', 'next week', 'last month', 'this month'],
  ...['next month', 'last quarter', 'this quarter', 'next quarter', 'last year', 'this year', 'next year'],
  ...['last 7 days', 'last 14 days', 'last 30 days', 'last 90 days', 'next 30 days', 'last 6 months', 'next 6 months'],
]

/** A valid comparison. */
export const condition: fc.Arbitrary<Comparison> = fc.oneof(
  fc.tuple(textField, equality, fc.oneof(textValue, unset)),
  fc.tuple(textField, comparison, textValue),
  fc.tuple(textField, membership, listed(fc.oneof(textValue, unset))),
  fc.tuple(textField, fc.constant('between'), pair(textValue)),
  fc.tuple(fc.constantFrom('text', 'group.title', 'pick'), written('like', 'not like'), pattern),
  fc.tuple(fc.constantFrom('whole', 'flag'), written('like', 'not like'), fc.constantFrom('1%', '%', '_', '-_', '')),
  fc.tuple(numberField, equality, fc.oneof(numberValue, unset)),
  fc.tuple(fc.constantFrom('flag', '`tabRow`.`flag`'), equality, fc.oneof(flagValue, unset)),
  fc.tuple(numberField, comparison, numberValue),
  fc.tuple(fc.constant('part'), comparison, fc.constantFrom<unknown>(0.25, '1.5', 12.75, -1)),
  fc.tuple(numberField, membership, listed(fc.oneof(numberValue, unset))),
  fc.tuple(numberField, fc.constant('between'), pair(fc.integer({ min: -3, max: 15 }))),
  fc.tuple(momentField, equality, fc.oneof(momentValue, unset)),
  fc.tuple(momentField, comparison, momentValue),
  fc.tuple(momentField, fc.constantFrom('between', 'BETWEEN'), pair(momentValue)),
  fc.tuple(fc.constant('day'), fc.oneof(equality, comparison), dayValue),
  fc.tuple(fc.constant('day'), membership, listed(fc.oneof(dayValue, unset))),
  fc.tuple(fc.constant('day'), fc.constant('between'), pair(dayValue)),
  fc.tuple(
    fc.constantFrom('text', 'pick', 'whole', 'part', 'at', 'day', 'group', 'group.title', 'group.size', 'group.since'),
    written('is'),
    fc.constantFrom('set', 'not set', 'Set', 'NOT SET'),
  ),
  fc.tuple(fc.constantFrom('at', 'day', 'group.since'), fc.constant('timespan'), fc.constantFrom(...spans)),
  fc.tuple(
    fc.constantFrom('at', 'day', 'group.since'),
    fc.constantFrom('previous', 'next'),
    fc.constantFrom('1 week', '1 month', '3 months', '6 months', '1 year'),
  ),
)

/** Up to `most` comparisons in one of the API's formats, as JSON text or native JSON. */
export function filtersFrom(doctype: string, most: number): fc.Arbitrary<unknown> {
  const triples = fc.array(condition, { maxLength: most })
  const listItem = (one: Comparison, length: number): unknown =>
    [one, [doctype, ...one], [doctype, ...one, false]][length % 3]
  const lists = fc
    .tuple(triples, fc.array(fc.nat(2), { minLength: most, maxLength: most }))
    .map(([all, lengths]) => all.map((one, at) => listItem(one, lengths[at] ?? 0)))
  const dict = triples.map((all) => dictOf(all))
  const dicts = triples.map((all) => all.map((one) => dictOf([one])))
  const mixed = triples.map((all) => all.map((one, at) => (at % 2 === 0 ? dictOf([one]) : one)))
  const flat = fc.tuple(condition, fc.nat(2)).map(([one, length]) => listItem(one, length))
  const nothing = fc.constantFrom<unknown>({}, [], '', '{}', '[]', null, undefined)
  const native = fc.oneof(
    { weight: 3, arbitrary: lists },
    { weight: 2, arbitrary: dict },
    { weight: 2, arbitrary: dicts },
    { weight: 1, arbitrary: mixed },
    { weight: 1, arbitrary: flat },
  )
  return fc.oneof(
    { weight: 6, arbitrary: native },
    { weight: 6, arbitrary: native.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: nothing },
  )
}

/** Alternatives in one of the API's formats: one group of at most `most` comparisons, or several of two at most. */
export function alternativesFrom(doctype: string, most: number): fc.Arbitrary<unknown> {
  const groups = fc
    .array(fc.array(fc.tuple(condition, fc.boolean()), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 })
    .map((all) => all.map((group) => group.map(([one, isDict]) => (isDict ? dictOf([one]) : one))))
  return fc.oneof(
    { weight: 3, arbitrary: filtersFrom(doctype, most) },
    { weight: 1, arbitrary: groups },
    { weight: 1, arbitrary: groups.map((value) => JSON.stringify(value)) },
  )
}

/** `{field: value}` if possible, else `{field: [operator, value]}`. */
function dictOf(all: readonly Comparison[]): Record<string, unknown> {
  return Object.fromEntries(
    all.map(([field, operator, operand]) => [field, operator === '=' ? operand : [operator, operand]]),
  )
}

/** Sort orders: every field type, two keys, links. */
export const orders = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'whole',
        'text',
        'part',
        'at',
        'day',
        'pick',
        '`tabRow`.`flag`',
        'group.title',
        'creation',
        'name',
      ),
      fc.constantFrom('', ' asc', ' desc', ' DESC'),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((terms) => terms.map((term) => term.join('')).join(', '))

/** Pages, with numbers as numbers and as text. */
export const pages = {
  limit: fc.constantFrom<number | string>(0, 1, 5, 20, 500, '0', '7'),
  start: fc.constantFrom<number | string>(0, 1, 10, 79, 500, '3'),
}

const wholeRow = ['name', 'text', 'pick', 'whole', 'part', 'flag', 'at', 'day', 'group']

/** Fields with and without aliases, qualifiers and links. */
export const selections = fc.constantFrom<unknown>(
  wholeRow,
  JSON.stringify(wholeRow),
  ['name', 'text as label', '`tabRow`.`at`', 'group.title', 'group.size as group_size'],
  '["name"]',
)

/** Groups with aggregates and orders. A list grouped by name can select any column. */
export const groupings = fc
  .tuple(
    fc.constantFrom('pick', 'whole', 'flag', 'text', 'day', 'group.title', 'name'),
    fc.subarray(
      [
        'count(name) as n',
        'count(*) as all_rows',
        'count(at) as dated',
        'sum(whole) as total',
        'avg(part) as mean',
      ].concat(['min(at) as first', 'max(text) as last']),
      { minLength: 1 },
    ),
    fc.constantFrom('asc', 'desc'),
    fc.boolean(),
  )
  .map(([group_by, aggregates, direction, ordered]) => ({
    fields: [group_by, ...(group_by === 'name' ? ['text', 'group.size'] : []), ...aggregates],
    group_by,
    ...(ordered || group_by === 'name' ? { order_by: `${aggregates[0]?.split(' as ')[1] ?? ''} ${direction}` } : {}),
  }))
