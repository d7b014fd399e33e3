/** Translators get every text: every sentence of the server and every doctype text, well-formed. */
import { expect, test } from 'vitest'
import { languageProblems } from './language-file.ts'
import { textsIn } from './source-texts.ts'
import { allTexts, describedTexts, keyOf, sourceTexts } from './texts.ts'

const found = (source: string, more: object = {}) => textsIn({ path: 'a.ts', source, ...more })
const english = (source: string, more: object = {}) => found(source, more).map((text) => text.english)
const problems = (source: string) => found(source).flatMap(({ problem }) => (problem === '' ? [] : [problem]))

test('nothing in the sources is said in a way that cannot be translated', async () => {
  const all = await sourceTexts()
  expect(all.length).toBeGreaterThan(2000)
  expect(all.filter(({ problem }) => problem !== '')).toEqual([])
})

test('sentences, forms by number, catalogs and words are found where they stand', async () => {
  const keys = new Set((await allTexts()).map(keyOf))
  for (const key of [
    'Server {0} not found',
    '{0} is required.',
    'Use at least {0} characters.',
    'Try again in {0} seconds.',
    'Something went wrong on the server. Its log has the details under {0}.',
    'There was an error while fetching the document.',
    'Create {0}',
    'Start PHP {0}',
    'Go to the dashboard',
    'Organization Settings',
    'created the site',
    'shared the site',
  ])
    expect(keys).toContain(key)
  for (const text of ['Site', 'site', 'Sites', 'Hostname', 'Live']) expect(describedTexts()).toContain(text)
})

test('a template has its values as places', () => {
  expect(english('throw new AppError("x", say`Server ${name} of ${org.title} is gone.`)')).toEqual([
    'Server {0} of {1} is gone.',
  ])
  expect(english('plural(n, say`${n} row`, say`${n} rows`)')).toEqual([{ one: '{0} row', other: '{0} rows' }])
  expect(english('const t = createCatalog({ a: "One", b: { one: "{n} row", other: "{n} rows" } })')).toEqual([
    'One',
    { one: '{n} row', other: '{n} rows' },
  ])
  expect(english('described(late ? "Late" : "Soon") + term("Live")')).toEqual(['Late', 'Soon', 'Live'])
  expect(
    english('const words = { a: "one", b: ["two"] }; const other = { c: "three" }', { tables: ['words'] }),
  ).toEqual(['one', 'two'])
  expect(english('step({ label: () => `Create ${x}`, name: "n" })', { properties: new Set(['label']) })).toEqual([
    'Create {0}',
  ])
})

test.each([
  ['say`{0} of ${a}`', /brace/],
  ['say` padded`', /space/],
  ['say``', /empty/],
  ['plural(n, one, other)', /two sentences/],
  ['plural(n, say`${n} of ${a}`, say`${a} of ${n}`)', /same values/],
  ['createCatalog(texts)', /tables/],
  ['term(`Create ${x}`)', /put together/],
  ['described(`Create ${x}`)', /put together/],
])('%s is refused', (source, problem) => expect(problems(source)).toEqual([expect.stringMatching(problem)]))

test('a language is held against all texts', () => {
  const texts = ['{0} is gone.', 'Retry.', { one: '{n} site', other: '{n} sites' }]
  expect(
    languageProblems(texts, {
      '{0} is gone.': '{0} ist weg.',
      'Retry.': 'Noch einmal.',
      '{n} sites': { one: '{n} strona', few: '{n} strony', other: '{n} stron' },
    }),
  ).toEqual([])
  expect(
    languageProblems(texts, {
      '{0} is gone.': '{1} ist {name}.',
      'Retry.': { other: ' ' },
      '{n} sites': { one: 'x' },
      Old: 'Alt',
    }),
  ).toEqual([
    'no such place {1}, {name}: {0} is gone.',
    'has no forms by number: Retry.',
    'the form "other" is missing: {n} sites',
    'not used any more: Old',
  ])
  expect(languageProblems(texts, { 'Retry.': '' })).toEqual([
    'missing: {0} is gone.',
    'missing: {n} sites',
    'empty: Retry.',
  ])
})
