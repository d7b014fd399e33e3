import { afterAll, beforeAll, expect, test } from 'vitest'
import fc from 'fast-check'
import { doctype, type FilterTriple } from '#shared/doctype.ts'
import { check, data, datetime, float, int, link, select } from '#shared/fields.ts'
import { AppError } from '#shared/errors.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '../../tests/support/documents.ts'
import { parseFilters } from './filters.ts'
import { parseFields, parseGroupBy, parseOrderBy } from './select.ts'

const RowType = doctype('Row', {
  module: 'core',
  tenant: 'organization',
  naming: 'random',
  fields: {
    organization: link('Organization', { reqd: true }),
    text: data(),
    pick: select(['a', 'b', 'c']),
    whole: int(),
    part: float(),
    flag: check(),
    at: datetime(),
  },
  permissions: { Owner: { read: true, create: true } },
})

type Plain = Record<'text' | 'pick' | 'at', string | null> & Record<'whole' | 'part', number | null> & { flag: 0 | 1 }

const rows: Plain[] = []
const texts = [null, 'Apple', 'apple pie', 'Banana', 'B%n_', 'ä', "o'clock", '10']
for (let at = 0; at < 60; at += 1) {
  rows.push({
    text: texts[at % texts.length] ?? null,
    pick: ([null, 'a', 'b', 'c'] as const)[at % 4] ?? null,
    whole: at % 5 === 0 ? null : (at % 7) - 2,
    part: at % 6 === 0 ? null : at / 4,
    flag: (at % 2) as 0 | 1,
    at: at % 3 === 0 ? null : `2026-0${1 + (at % 9)}-1${at % 10} 10:0${at % 6}:00.000000`,
  })
}

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')
beforeAll(async () => {
  t = await createTestDocuments({ extra: [RowType] })
  await t.organization('acme')
  await t.documents.transaction(t.system, async (tx) => {
    for (const [at, row] of rows.entries())
      await tx.insert('Row', { ...row, organization: 'acme', text: row.text, idx: at }, { activity: false })
  })
}, 60_000)
afterAll(() => t?.close())

/** What the wire contract says, on plain values, knowing nothing of the server's own code. */
function matches(row: Plain, [field, operator, operand]: readonly [keyof Plain, string, unknown]): boolean {
  const stored = row[field] as string | null
  // Numbers and texts compare by the same operators; the compiler need only know one of them.
  const numeric = field === 'whole' || field === 'part' || field === 'flag'
  const value = stored ?? (numeric ? 0 : '')
  const typed = (one: unknown) =>
    one === null || one === '' ? (numeric ? 0 : '') : numeric ? Number(one) : String(one)
  const pattern = (text: string) =>
    new RegExp(
      `^${[...text].map((c) => (c === '%' ? '.*' : c === '_' ? '.' : c.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))).join('')}$`,
      'isu',
    )
  switch (operator) {
    case '=':
      return value === typed(operand)
    case '!=':
      return value !== typed(operand)
    case '>':
      return stored !== null && stored > (typed(operand) as string)
    case '<':
      return stored !== null && stored < (typed(operand) as string)
    case '>=':
      return stored !== null && stored >= (typed(operand) as string)
    case '<=':
      return stored !== null && stored <= (typed(operand) as string)
    case 'in':
      return (operand as unknown[]).length === 0
        ? stored === null
        : (operand as unknown[]).some((one) => typed(one) === value)
    case 'not in':
      return (operand as unknown[]).length === 0 || !(operand as unknown[]).some((one) => typed(one) === value)
    case 'like':
      return pattern(String(operand)).test(stored === null ? '' : String(stored))
    case 'not like':
      return stored === null || !pattern(String(operand)).test(String(stored))
    case 'is':
      return (operand === 'set') === (stored !== null)
    case 'between': {
      const [low, high] = operand as [unknown, unknown]
      return stored !== null && stored >= (typed(low) as string) && stored <= (typed(high) as string)
    }
    default:
      throw new Error(operator)
  }
}

const textValue = fc.constantFrom('Apple', 'apple', 'a', 'b', '', "o'clock", 'B%n_', 'ä', '10')
const numberValue = fc.oneof(fc.integer({ min: -3, max: 15 }), fc.integer({ min: 0, max: 9 }).map(String))
const dateValue = fc.constantFrom(
  '2026-01-11 10:01:00.000000',
  '2026-05-14 10:04:00.000000',
  '2026-09-18 10:02:00.000000',
)
const textual = fc.constantFrom('text', 'pick')
const comparison = fc.constantFrom('>', '<', '>=', '<=')
const triple = fc.oneof(
  fc.tuple(textual, fc.constantFrom('=', '!='), fc.oneof(textValue, fc.constant(null))),
  fc.tuple(textual, fc.constantFrom('in', 'not in'), fc.array(textValue, { maxLength: 3 })),
  fc.tuple(
    fc.constant('text'),
    fc.constantFrom('like', 'not like'),
    fc.constantFrom('%a%', 'A%', '_pple', '%', '', '1_', "%'%", 'b%n_'),
  ),
  fc.tuple(fc.constantFrom('whole', 'part', 'flag'), fc.constantFrom('=', '!='), numberValue),
  fc.tuple(fc.constantFrom('whole', 'part'), comparison, numberValue),
  fc.tuple(fc.constantFrom('whole', 'part'), fc.constantFrom('in', 'not in'), fc.array(numberValue, { maxLength: 3 })),
  fc.tuple(fc.constantFrom('whole', 'part'), fc.constant('between'), fc.tuple(numberValue, numberValue)),
  fc.tuple(fc.constant('at'), comparison, dateValue),
  fc.tuple(fc.constant('at'), fc.constant('between'), fc.tuple(dateValue, dateValue)),
  fc.tuple(
    fc.constantFrom('text', 'pick', 'whole', 'part', 'at'),
    fc.constant('is'),
    fc.constantFrom('set', 'not set'),
  ),
)

test('random filters give the rows the contract says', async () => {
  const runs = process.env.EASYDASH_TEST_LONG === '1' ? 10_000 : 250
  await fc.assert(
    fc.asyncProperty(
      fc.array(triple, { maxLength: 4 }),
      fc.array(triple, { maxLength: 3 }),
      fc.boolean(),
      async (all, any, asText) => {
        const expected = rows.flatMap((row, at) => {
          const every = all.every((one) => matches(row, one as never))
          const some = any.length === 0 || any.some((one) => matches(row, one as never))
          return every && some ? [at] : []
        })
        const query = {
          fields: ['text', 'pick', 'whole', 'part', 'flag', 'at'],
          filters: asText ? JSON.stringify(all) : all,
          or_filters: any,
          order_by: 'creation asc',
          limit: 0,
        }
        const found = await t.documents.list(owner, 'Row', query)
        expect(found).toEqual(expected.map((at) => rows[at]))
        expect(await t.documents.count(owner, 'Row', query)).toBe(expected.length)
      },
    ),
    { numRuns: runs, seed: 20_261_120 },
  )
}, 600_000)

test('no text from a client makes the parsers fail otherwise than with a clear error', () => {
  const type = RowType as never
  const context = { type, typeByName: () => null, readable: () => true }
  const orClearError = (parse: () => unknown) => {
    try {
      parse()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.jsonValue(),
    fc.anything({ withNullPrototype: true }),
  )
  fc.assert(
    fc.property(anything, (raw) => {
      orClearError(() => parseFilters(raw, context))
      orClearError(() => parseFields(raw, context))
      orClearError(() => parseGroupBy(raw, context))
      orClearError(() => parseOrderBy(raw, context, []))
    }),
    { numRuns: process.env.EASYDASH_TEST_LONG === '1' ? 10_000 : 1000, seed: 20_261_120 },
  )
  const conditions: FilterTriple[] = Array.from({ length: 51 }, () => ['text', '=', 'x'])
  expect(() => parseFilters(conditions, context)).toThrow('At most 50')
})
