import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import fc from 'fast-check'
import { doctype, type FilterTriple } from '#shared/doctype.ts'
import { check, data, date, datetime, float, int, link, select } from '#shared/fields.ts'
import { AppError } from '#shared/errors.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import {
  alternativesFrom,
  condition,
  filtersFrom,
  groupings,
  orders,
  pages,
  selections,
} from '#tests/support/filter-cases.ts'
import {
  answerOf,
  matchingRows,
  type PlainRow,
  type ReferenceQuery,
  type ReferenceTable,
} from '#tests/support/filter-reference.ts'
import { parseFilters } from './filters.ts'
import { parseFields, parseGroupBy, parseOrderBy } from './select.ts'

const GroupType = doctype('Row Group', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  fields: {
    organization: link('Organization', { reqd: true }),
    title: data(),
    size: int(),
    since: datetime(),
  },
  permissions: { Owner: { read: true, create: true } },
})

const RowType = doctype('Row', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  fields: {
    organization: link('Organization', { reqd: true }),
    text: data(),
    pick: select(['a', 'b', 'c']),
    whole: int(),
    part: float(),
    flag: check(),
    at: datetime(),
    day: date(),
    group: link('Row Group'),
  },
  permissions: { Owner: { read: true, create: true } },
})

/** A Wednesday in the middle of a quarter; the rows are spread around it. */
const now = new Date('2026-05-13T10:20:30Z')
const long = process.env['EASYDASH_TEST_LONG'] === '1'
const seed = 20_261_120

const texts = [null, 'Apple', 'apple pie', 'Banana', 'B%n_', 'ä', "o'clock", '10', 'a\\b', 'a,b', 'a b']
/** Days from more than a year before the fixed date to more than a year after it. */
const dayOf = (at: number) =>
  new Date(Date.UTC(2026, 4, 13 + Math.trunc((at - 40) ** 3 / 150))).toISOString().slice(0, 10)

function valuesOf(at: number, groups: readonly string[]): PlainRow {
  return {
    text: texts[at % texts.length] ?? null,
    pick: ([null, 'a', 'b', 'c'] as const)[at % 4] ?? null,
    whole: at % 5 === 0 ? null : (at % 7) - 2,
    part: at % 6 === 0 ? null : at / 4,
    flag: at % 2,
    at: at % 3 === 0 ? null : `${dayOf(at)} ${String(at % 24).padStart(2, '0')}:0${at % 6}:00.00000${at % 10}`,
    day: at % 8 === 0 ? null : dayOf(79 - at),
    group: groups[at % (groups.length + 1)] ?? null,
  }
}

let t: TestDocuments
let table: ReferenceTable
const owner = sessionOf('owner@acme.example', 'acme')

beforeAll(async () => {
  t = await createTestDocuments({ extra: [GroupType, RowType] })
  await t.organization('acme')
  await t.organization('globex')
  const rows: PlainRow[] = []
  const groups: Record<string, PlainRow> = {}
  await t.documents.transaction(t.system, async (tx) => {
    const names: string[] = []
    for (const [at, title] of ['Apple', null, 'b_b', 'hidden'].entries()) {
      const values = { title, size: at === 2 ? null : at, since: at === 0 ? null : `${dayOf(at * 20)} 00:00:00.000000` }
      // The last group belongs to another organization: a row that links to it must not show any of it.
      const organization = title === 'hidden' ? 'globex' : 'acme'
      const { name } = await tx.insert('Row Group', { ...values, organization }, { activity: false })
      names.push(name)
      if (organization === 'acme') groups[name] = { name, ...values }
    }
    for (let at = 0; at < 80; at += 1) {
      const values = valuesOf(at, names)
      const stored = await tx.insert('Row', { ...values, organization: 'acme', idx: at }, { activity: false })
      rows.push({ ...values, name: stored.name, creation: stored.creation })
    }
    // A similar row in another organization: no filter may return it.
    await tx.insert('Row', { ...valuesOf(1, names), organization: 'globex' }, { activity: false })
  })
  table = {
    doctype: 'Row',
    rows,
    columns: {
      name: 'text',
      creation: 'datetime',
      text: 'text',
      pick: 'text',
      whole: 'number',
      part: 'number',
      flag: 'number',
      at: 'datetime',
      day: 'date',
      group: 'text',
    },
    links: {
      group: { columns: { name: 'text', title: 'text', size: 'number', since: 'datetime' }, rows: groups },
    },
  }
  vi.useFakeTimers({ toFake: ['Date'], now })
})
afterAll(async () => {
  vi.useRealTimers()
  await t?.close()
})

/** Checks that the product's rows and count equal those of the reference. */
async function agree(query: ReferenceQuery): Promise<void> {
  expect(await t.documents.list(owner, 'Row', query)).toEqual(answerOf(table, query, now))
  const { filters, or_filters } = query
  expect(await t.documents.count(owner, 'Row', { filters, or_filters })).toBe(matchingRows(table, query, now).length)
}

test('random filters in every form give the rows the contract says', async () => {
  const query = fc.record(
    {
      fields: selections,
      filters: filtersFrom('Row', 4),
      or_filters: alternativesFrom('Row', 3),
      order_by: orders,
      limit: pages.limit,
      limit_start: pages.start,
    },
    { requiredKeys: ['filters'] },
  )
  await fc.assert(fc.asyncProperty(query, agree), { numRuns: long ? 10_000 : 350, seed })
}, 600_000)

test('random groups count, add up and compare the rows the contract says', async () => {
  const query = fc
    .tuple(groupings, filtersFrom('Row', 3), alternativesFrom('Row', 2))
    .map(([grouping, filters, or_filters]) => ({ ...grouping, filters, or_filters, limit: 0 }))
  await fc.assert(fc.asyncProperty(query, agree), { numRuns: long ? 3000 : 100, seed })
}, 600_000)

test('equal rows once, through links too', async () => {
  const titles = await t.documents.list(owner, 'Row', {
    fields: ['group.title'],
    distinct: true,
    order_by: 'group.title',
  })
  expect(titles).toEqual(answerOf(table, { fields: ['group.title'], group_by: 'group.title' }, now))
})

test('tests every operator alone with every type of field it supports', async () => {
  const samples = fc.sample(condition, { numRuns: long ? 3000 : 250, seed })
  const seen = new Set<string>()
  for (const one of samples) {
    seen.add(one[1].toLowerCase() || '=')
    await agree({ filters: [one], limit: 0 })
  }
  expect([...seen].toSorted()).toEqual(
    [
      ...['!=', '<', '<=', '<>', '=', '>', '>=', 'between', 'in', 'is', 'like', 'next', 'not in', 'not like'],
      ...['previous', 'timespan'],
    ].toSorted(),
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
    { numRuns: long ? 10_000 : 1000, seed },
  )
  const conditions: FilterTriple[] = Array.from({ length: 51 }, () => ['text', '=', 'x'])
  expect(() => parseFilters(conditions, context)).toThrow('At most 50')
})
