/** The search index loses no rows: with and without it, the same texts are found, whatever they are made of. */
import fc from 'fast-check'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctype } from '#shared/doctype.ts'
import { data, link, text } from '#shared/fields.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { foldText } from '#shared/rules/fold-text.ts'
import { folded } from './folded-text.ts'

const NoteType = doctype('Note', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'title',
  fields: {
    organization: link('Organization', { reqd: true }),
    title: data({ search_index: true }),
    body: text({ search_index: true }),
    remark: data({ search_index: true }),
  },
  permissions: { Owner: { read: true } },
})

const columns = ['name', 'title', 'body', 'remark'] as const
const seed = 20_261_124
const numRuns = process.env['EASYDASH_TEST_LONG'] === '1' ? 3000 : 150
const owner = sessionOf('owner@acme.example', 'acme')

/** Letters of many scripts, some of which change with case, accents or their neighbors; marks, emoji, and syntax of patterns. */
const letters = [
  ...'aAbzIiıİßẞæŒøłđðÄäé́ñÅ',
  ...'ΣσςΟδЖжЙйאבגשׁعمردनमस्ते한국어가각日本語ไทยԱա',
  ...[
    '\u0300',
    '\u0301',
    '\u0308',
    '\u036f',
    '\u0344',
    '\u05b0',
    '\u064b',
    '\u094d',
    '\u200d',
    '\ufe0f',
    '👩‍🚀',
    '🇩🇪',
    '𝔸',
  ],
  ...['\\', '%', '_', '\n', ' ', '.', "'", '{', '0'],
]
const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...letters) },
  { weight: 2, arbitrary: fc.constantFrom('\\', '%', '_', '\u0301', 'a', 'Ä') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '\0') },
)
const anyText = fc.string({ unit, maxLength: 8 })
const stored = fc.oneof({ weight: 5, arbitrary: anyText }, { weight: 1, arbitrary: fc.constantFrom(null, '', 'ab') })
const rows = fc.sample(fc.tuple(stored, stored, stored), { seed, numRuns: 400 })

/** Parts of stored texts, as they are or escaped, and anything else. */
const searched = fc.oneof(
  anyText,
  fc
    .tuple(fc.constantFrom(...rows.flat().filter((one) => one !== null)), fc.nat(8), fc.nat(8))
    .map(([whole, start, length]) => [...whole].slice(start, start + length).join('')),
)
const escape = (part: string) => part.replaceAll(/[\\%_]/g, (one) => `\\${one}`)
const pattern = fc.oneof(
  searched,
  searched.map((part) => `%${part}%`),
  searched.map((part) => `%${escape(part)}%`),
  searched.map((part) => `%${part}\\\u0301`),
)

let t: TestDocuments

beforeAll(async () => {
  t = await createTestDocuments({ extra: [NoteType] })
  await t.organization('acme')
  const { db } = t.test.database
  for (const [at, [title, body, remark]] of rows.entries())
    await sql`insert into tab_note (name, owner, creation, modified, modified_by, organization, title, body, remark)
      values (${`note${at}`}, 'a', now(), now(), 'a', 'acme', ${title}, ${body}, ${remark})`.execute(db)
  const others = await sql<{ indexname: string }>`
    select indexname from pg_indexes where tablename = 'tab_note' and indexname like 'i\\_%'`.execute(db)
  for (const { indexname } of others.rows) await sql`drop index ${sql.id(indexname)}`.execute(db)
  await t.test.database.pool.query('vacuum analyze tab_note')
  // The indexes of searches are now the only ones, and are used wherever they can be.
  t.test.database.pool.on('acquire', (client) => void client.query('set enable_seqscan = off'))
})
afterAll(async () => {
  await t?.close()
})

/** Names of the rows that a condition on the columns alone finds. */
async function namesWhere(condition: RawBuilder<SqlBool>): Promise<string[]> {
  const found = await sql<{ name: string }>`select name from tab_note where ${condition}`.execute(t.test.database.db)
  return found.rows.map(({ name }) => name).toSorted()
}

const contains = (column: string, part: string): RawBuilder<SqlBool> =>
  sql`coalesce(strpos(${folded(sql.ref(column))}, ${folded(sql`${part}::text`)}) > 0, false)`

/** A trailing backslash stands for itself, also before marks that are removed when texts are compared. */
const asPattern = (value: string): string =>
  /(?:^|[^\\])(?:\\\\)*\\$/.test(value.replaceAll(/[\u0300-\u036f]/g, '')) ? `${value}\\` : value

const namesOf = async (query: object): Promise<string[]> =>
  (await t.documents.list(owner, 'Note', { fields: ['name'], limit: 500, ...query }))
    .map(({ name }) => String(name))
    .toSorted()

test('a pattern finds the rows that it finds without the index', async () => {
  await fc.assert(
    fc.asyncProperty(pattern, fc.constantFrom(...columns), async (value, column) => {
      fc.pre(/[^%]/.test(value))
      const found = await namesOf({ filters: [[column, 'like', value]] })
      expect(found).toEqual(
        await namesWhere(sql`${folded(sql.ref(column))} like ${folded(sql`${asPattern(value)}::text`)}`),
      )
    }),
    { seed, numRuns },
  )
})

test('alternatives find the rows that each of them finds', async () => {
  await fc.assert(
    fc.asyncProperty(searched, async (part) => {
      fc.pre(part !== '')
      const or_filters = columns.map((column) => [column, 'like', `%${escape(part)}%`])
      expect(await namesOf({ or_filters })).toEqual(
        await namesWhere(
          sql`${sql.join(
            columns.map((column) => contains(column, part)),
            sql` or `,
          )}`,
        ),
      )
    }),
    { seed, numRuns },
  )
})

/** Whether a word in a column begins with the text, after one of the characters that separate words. */
const wordBegins = (column: string, part: string): RawBuilder<SqlBool> =>
  sql`coalesce(${folded(sql.ref(column))} ~ ${`(^|[\n .@_-])${part.toLowerCase()}`}, false)`

test('suggestions are rows with the text in one of the columns, one or two letters at the beginning of a word', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(searched, fc.constantFrom('a', 'AB', 'b', 'z0', '0')), async (txt) => {
      const part = txt.trim()
      const matches = /^[a-z0-9]{1,2}$/i.test(part) ? wordBegins : contains
      const found = await t.documents.search(owner, 'Note', { txt, page_length: 50 })
      const expected = await namesWhere(
        sql`${sql.join(
          columns.map((column) => matches(column, part)),
          sql` or `,
        )}`,
      )
      expect(found).toHaveLength(Math.min(50, expected.length))
      expect(expected).toEqual(expect.arrayContaining(found.map(({ value }) => value)))
    }),
    { seed, numRuns },
  )
})

test('lists in the browser compare Latin letters as the database does', async () => {
  const latin = Array.from({ length: 0x250 - 0x41 }, (_, at) => String.fromCodePoint(0x41 + at)).filter((one) =>
    /\p{L}/u.test(one),
  )
  const { rows: found } = await sql<{ letter: string; folded: string }>`
    select letter, ${folded(sql`letter`)} as folded from unnest(cast(${latin} as text[])) letter`.execute(
    t.test.database.db,
  )
  expect(found.filter(({ letter, folded: known }) => foldText(letter) !== known)).toEqual([])
})

test('the index is used', async () => {
  const { rows: plan } = await sql<Record<string, string>>`explain select name from tab_note t
    where search_name_title_body_remark like ${folded(sql`'%abc%'::text`)}`.execute(t.test.database.db)
  expect(JSON.stringify(plan)).toContain('text_note')
})
