/** Translators get every text: every sentence of the server and every doctype text, well-formed. */
import { beforeAll, expect, test } from 'vitest'
import { createMessageFormat, isUnquoted, placeholdersOf } from '#shared/message-format.ts'
import { languageProblems } from './language-file.ts'
import { textsIn } from './source-texts.ts'
import { allTexts, describedTexts, sourceTexts } from './texts.ts'

const found = (source: string, more: object = {}) => textsIn({ path: 'a.ts', source, ...more })
const english = (source: string, more: object = {}) => found(source, more).map((text) => text.english)
const problems = (source: string) => found(source).flatMap(({ problem }) => (problem === '' ? [] : [problem]))

let all: readonly string[]
beforeAll(async () => {
  all = await allTexts()
})

test('every text in the sources can be translated', async () => {
  const texts = await sourceTexts()
  expect(texts.length).toBeGreaterThan(2000)
  expect(texts.filter(({ problem }) => problem !== '')).toEqual([])
})

test('every text is a valid message that shows all its placeholders and apostrophes, for one and for many', () => {
  const format = createMessageFormat('en')
  const wrong = all.filter((text) => {
    const placeholders = [...new Set(placeholdersOf(text))]
    const named = new Set([...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name))
    const isByNumber = text.includes('{count, plural,')
    const shown = [1, 5].map((count) => {
      const given = Object.fromEntries(
        placeholders.map((placeholder) => [placeholder, placeholder === 'count' ? count : `<${placeholder}> {x}`]),
      )
      return format(text, given)
    })
    const values = placeholders
      .filter((placeholder) => !isByNumber && placeholder !== 'count')
      .map((placeholder) => `<${placeholder}> {x}`)
    return (
      named.size !== placeholders.length ||
      !isUnquoted(text) ||
      shown.some((one) => !values.every((value) => one.includes(value))) ||
      (placeholders.length === 0 && shown.some((one) => one !== text))
    )
  })
  expect(wrong).toEqual([])
})

/** What screens promised before it existed. A promise leaves this list together with the work that keeps it. */
const promises = [
  /servers (?:sign|log) in with it/i,
  /(?:put|authorized) on every (?:new )?server/i,
  /\bdeploys? (?:your )?sites/i,
  /backups are written/i,
]

test('no text promises what does not exist yet', () => {
  expect(all.filter((text) => promises.some((promise) => promise.test(text)))).toEqual([])
})

test('sentences, forms by number, catalogs and words are found where they stand', () => {
  const keys = new Set(all)
  for (const key of [
    'Server {0} not found',
    '{0} is required.',
    'Use at least {0} characters.',
    '{count, plural, one {Try again in {0} second.} other {Try again in {0} seconds.}}',
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

test('a template has its values as placeholders', () => {
  expect(english('throw new AppError("x", msg`Server ${name} of ${org.title} is gone.`)')).toEqual([
    'Server {0} of {1} is gone.',
  ])
  expect(english('plural(n, msg`${n} row`, msg`${n} rows`)')).toEqual([
    '{count, plural, one {{0} row} other {{0} rows}}',
  ])
  expect(english('const t = createCatalog({ a: "One", b: "{count, plural, one {# row} other {# rows}}" })')).toEqual([
    'One',
    '{count, plural, one {# row} other {# rows}}',
  ])
  expect(english('translateText(late ? "Late" : "Soon") + labelMessage("Live")')).toEqual(['Late', 'Soon', 'Live'])
  expect(
    english('const words = { a: "one", b: ["two"] }; const other = { c: "three" }', { tables: ['words'] }),
  ).toEqual(['one', 'two'])
  expect(english('step({ label: () => `Create ${x}`, name: "n" })', { properties: new Set(['label']) })).toEqual([
    'Create {0}',
  ])
})

test.each([
  ['msg`{0} of ${a}`', /brace/],
  ['msg` padded`', /space/],
  ['msg``', /empty/],
  ['plural(n, one, other)', /two sentences/],
  ['plural(n, msg`${n} of ${a}`, msg`${a} of ${n}`)', /same values/],
  ["msg`“'${a}'” is gone`", /apostrophe/i],
  ['plural(n, msg`#${n} row`, msg`#${n} rows`)', /number/],
  ['createCatalog(texts)', /tables/],
  ['labelMessage(`Create ${x}`)', /put together/],
  ['translateText(`Create ${x}`)', /put together/],
])('%s is refused', (source, problem) => expect(problems(source)).toEqual([expect.stringMatching(problem)]))

test('a language is held against all texts', () => {
  const sites = '{count, plural, one {# site} other {# sites}}'
  const texts = ['{0} is gone.', 'Retry.', sites]
  const polish = '{count, plural, one {# strona} few {# strony} other {# stron}}'
  expect(
    languageProblems(texts, { '{0} is gone.': '{0} ist weg.', 'Retry.': 'Noch einmal.', [sites]: polish }),
  ).toEqual([])
  expect(
    languageProblems(texts, {
      '{0} is gone.': '{1} ist {name}.',
      'Retry.': ' ',
      [sites]: '{count, plural, one {x}}',
      Old: 'Alt',
    }),
  ).toEqual([
    'no such placeholder 1, name: {0} is gone.',
    'empty: Retry.',
    expect.stringMatching(/^not a valid message \(.+\): \{count, plural, one/),
    'not used any more: Old',
  ])
  expect(languageProblems(['{0} is gone.'], { '{0} is gone.': "L''adresse {0} n'est plus là." })).toEqual([])
  expect(languageProblems(['{0} is gone.'], { '{0} is gone.': "L'{0} n'est plus là." })).toEqual([
    "an apostrophe makes a placeholder text, write ’ or '' for it: {0} is gone.",
  ])
  expect(languageProblems(texts, { 'Retry.': 'x' })).toEqual(['missing: {0} is gone.', `missing: ${sites}`])
})
