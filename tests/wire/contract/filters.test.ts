/** Section 5 of the wire contract: all forms of filters, and each operator. One case per row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let booted: Booted
let owner: Browser

/** Three servers: with values, with other values, without values. */
const servers = [
  { hostname: 'a.acme.test', processor: 'Ampere', cpu: 4, disk: 80.5, checked_at: '2026-03-10 12:00:00.000000' },
  { hostname: 'b.acme.test', processor: 'EPYC 100%_', cpu: 8, disk: 160, checked_at: '2026-03-12 23:59:59.999999' },
  { hostname: 'c.acme.test' },
]

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme')
  await booted.documents.transaction(booted.system, async (tx) => {
    await tx.update(OrganizationDoctype, 'acme', { plan: 'Enterprise' })
    for (const one of servers) await tx.insert(ServerDoctype, { organization: 'acme', ...one })
  })
  owner = await booted.signedIn('owner@acme.example')
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

/** First letters of the hosts a filter finds, or the error's body if it is rejected. */
async function found(filters: unknown, or_filters?: unknown): Promise<unknown> {
  const params = new URLSearchParams({ fields: '["hostname"]', order_by: 'hostname asc' })
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  if (filters !== undefined) params.set('filters', asText(filters))
  if (or_filters !== undefined) params.set('or_filters', asText(or_filters))
  const response = await owner.fetch(`/api/resource/Server?${params.toString()}`)
  const body = (await response.json()) as { data?: { hostname: string }[]; exc_type?: string }
  return response.ok
    ? (body.data ?? []).map((row) => row.hostname[0]).join('')
    : `${response.status} ${body.exc_type ?? ''}`
}

describe('section 5: forms of filters', () => {
  it.each([
    ['list of [field, op, value]', [['cpu', '=', 4]], 'a'],
    ['list of [doctype, field, op, value]', [['Server', 'cpu', '=', 4]], 'a'],
    ['a fifth element is ignored', [['Server', 'cpu', '=', 4, false]], 'a'],
    ['dict {field: value}', { cpu: 4 }, 'a'],
    ['dict {field: [op, value]}', { cpu: ['>', 4] }, 'b'],
    ['dict with several', { cpu: ['>', 1], processor: 'Ampere' }, 'a'],
    ['list of dicts', [{ cpu: ['>', 1] }, { processor: ['like', 'ep%'] }], 'b'],
    ['a single flat triple', ['cpu', '=', 4], 'a'],
    ['a single flat triple with a list', ['cpu', 'in', [4, 8]], 'ab'],
    ['link.field', [['organization.title', '=', 'acme']], 'abc'],
    ['backticks', [['`tabServer`.`cpu`', '=', 4]], 'a'],
    ['{} is none', {}, 'abc'],
    ['[] is none', [], 'abc'],
    ['"" is none', '', 'abc'],
    ['absent is none', undefined, 'abc'],
  ])('%s', async (_form, filters, expected) => {
    expect(await found(filters)).toBe(expected)
  })

  it('or_filters: joined by or, and to the filters by and', async () => {
    const either = [
      ['cpu', '=', 4],
      ['cpu', '=', 8],
    ]
    expect(await found(undefined, either)).toBe('ab')
    expect(await found([['processor', 'like', 'amp%']], either)).toBe('a')
    expect(await found(undefined, { cpu: 4, processor: ['like', 'ep%'] })).toBe('ab')
    expect(await found(undefined, [])).toBe('abc')
  })

  it.each([
    ['malformed JSON', '[["cpu"', '417 ValidationError'],
    ['a number', '5', '417 ValidationError'],
    ['a field alone', [['cpu']], '417 ValidationError'],
    ['another doctype', [['User', 'email', '=', 'x']], '417 DataError'],
    ['an unknown field', [['nope', '=', 1]], '417 DataError'],
    ['a prototype name', [['constructor', '=', 1]], '417 DataError'],
    ['SQL for a field', [['1=1) or (1', '=', 1]], '417 DataError'],
    ['an object for a value', [['cpu', '=', { a: 1 }]], '417 ValidationError'],
    ['a wrong type', [['cpu', '=', 'many']], '417 DataError'],
    ['more than 50 conditions', Array.from({ length: 51 }, () => ['cpu', '=', 4]), '417 ValidationError'],
  ])('%s: refused', async (_what, filters, expected) => {
    expect(await found(filters)).toBe(expected)
  })
})

describe('section 5: operators', () => {
  it.each([
    // `=`: null and "" match unset values; an empty operator means `=`.
    ['=', 'Ampere', 'processor', 'a'],
    ['=', null, 'processor', 'c'],
    ['=', '', 'processor', 'c'],
    ['', 'Ampere', 'processor', 'a'],
    ['=', 0, 'cpu', 'c'],
    // `!=` and `<>`: unset values match.
    ['!=', 'Ampere', 'processor', 'bc'],
    ['<>', 'Ampere', 'processor', 'bc'],
    ['!=', '', 'processor', 'ab'],
    ['>', 4, 'cpu', 'b'],
    ['<', '8', 'cpu', 'a'],
    ['>=', 4, 'cpu', 'ab'],
    ['<=', 4, 'cpu', 'a'],
    ['>', '2026-03-11', 'checked_at', 'b'],
    // `like`: the client sends the pattern; case-insensitive.
    ['like', '%PYC%', 'processor', 'b'],
    ['LIKE', 'ampere', 'processor', 'a'],
    ['like', '%100\\%\\_', 'processor', 'b'],
    ['not like', 'amp%', 'processor', 'bc'],
    ['Not Like', '%', 'processor', 'c'],
    // `in`: a list, or text with commas.
    ['in', ['Ampere', 'x'], 'processor', 'a'],
    ['in', 'Ampere, x', 'processor', 'a'],
    ['in', '4,8', 'cpu', 'ab'],
    ['in', [], 'processor', 'c'],
    ['in', ['', 'Ampere'], 'processor', 'ac'],
    ['not in', ['Ampere'], 'processor', 'bc'],
    ['NOT IN', 'Ampere,x', 'processor', 'bc'],
    ['not in', [], 'processor', 'abc'],
    // `between`: inclusive; dates mean whole days of a timestamp.
    ['between', [4, 8], 'cpu', 'ab'],
    ['between', ['2026-03-10', '2026-03-12'], 'checked_at', 'ab'],
    ['between', ['2026-03-10', '2026-03-11'], 'checked_at', 'a'],
    ['Between', '2026-03-11,2026-03-12', 'checked_at', 'b'],
    ['is', 'set', 'processor', 'ab'],
    ['is', 'not set', 'processor', 'c'],
    ['IS', 'Set', 'checked_at', 'ab'],
    ['timespan', 'today', 'creation', 'abc'],
    ['timespan', 'yesterday', 'creation', ''],
    ['Timespan', 'this year', 'modified', 'abc'],
    ['previous', '1 week', 'creation', ''],
    ['next', '6 months', 'creation', ''],
  ])('%s %j on %s finds "%s"', async (operator, value, field, expected) => {
    expect(await found([[field, operator, value]])).toBe(expected)
  })

  it.each([
    ['previous', '9 years', 'creation'],
    ['timespan', 'last eon', 'creation'],
    ['timespan', 'today', 'processor'],
    ['next', '1 week', 'cpu'],
    ['is', 'maybe', 'processor'],
    ['between', [1], 'cpu'],
    ['in', 5, 'cpu'],
    ['>', null, 'cpu'],
    ['descendants of', 'x', 'processor'],
    ['not ancestors of', 'x', 'processor'],
    ['==', 1, 'cpu'],
    ['regexp', 'x', 'processor'],
    ['= 1 or 1 =', 1, 'cpu'],
    ['__proto__', 1, 'cpu'],
  ])('%s %j on %s is 417', async (operator, value, field) => {
    expect(await found([[field, operator, value]])).toMatch(/^417 /)
  })

  it('the same filters count, and find values and reports', async () => {
    const filters = [['cpu', '>', 1]]
    expect(await owner.app.db().getCount('Server', filters as never)).toBe(2)
    expect(await owner.app.db().getValue('Server', 'hostname', [['cpu', '=', 8]] as never)).toEqual({
      message: { hostname: 'b.acme.test' },
    })
    expect(await owner.app.call().post('frappe.desk.reportview.get_count', { doctype: 'Server', filters })).toEqual({
      message: 2,
    })
  })
})
