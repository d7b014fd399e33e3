import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foreign, partsOf, plural, restored, say, stored, term, withTexts, written, type Sentence } from './sentence.ts'

/** English text of a sentence's parts, filled in without `say`. */
function filled({ id, values, count }: Sentence): string {
  const [, one = id, other = id] = /^\{count, plural, one \{(.*)\} other \{(.*)\}\}$/s.exec(id) ?? []
  return (count === 1 ? one : other)
    .split(/\{(\d+)\}/)
    .map((part, at) => (at % 2 === 0 ? part : valueText(values[Number(part)])))
    .join('')
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'object' ? filled(value as Sentence) : String(value)
}

describe('a sentence', () => {
  it('keeps what is fixed apart from what stands in it', () => {
    expect(say`Server ${'web-1'} has ${3} sites.`).toEqual({
      text: 'Server web-1 has 3 sites.',
      id: 'Server {0} has {1} sites.',
      values: ['web-1', 3],
    })
    expect(say`Nothing was sent.`).toEqual({ text: 'Nothing was sent.', id: 'Nothing was sent.', values: [] })
  })

  it('is the same as its parts, whatever stands in it', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('{0}', '{1}', '$&', '$1', '<b>', ''),
    )
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.array(text, { maxLength: 3 }),
      text.map((inner) => say`(${inner})`),
      text.map((label) => term(label.replaceAll(/[{}]/g, ''))),
    )
    fc.assert(
      fc.property(value, value, fc.integer({ min: 0, max: 3 }), (a, b, count) => {
        for (const sentence of [
          say`${a} and ${b}`,
          say`Only ${b}.`,
          plural(count, say`${a}: ${count} row`, say`${a}: ${count} rows`),
        ])
          expect(sentence.text).toBe(filled(sentence))
      }),
    )
  })

  it('is the same after it was stored, also inside another one', () => {
    const inner = plural(2, say`${2} row of ${'x'}`, say`${2} rows of ${'x'}`)
    const whole = say`${stored('Pack blog', 'blog')}: ${inner} ${['a', foreign('b')]}`
    const { told, told_parts: parts } = written('told', whole)
    const again = restored(told ?? '', JSON.parse(JSON.stringify(parts)) as typeof parts)
    expect(again.text).toBe(whole.text)
    expect(partsOf(again)).toEqual(partsOf(whole))
    expect(partsOf(say`First ${again}`)).toEqual(partsOf(say`First ${whole}`))
    expect(say`First ${again}`.text).toBe(say`First ${whole}`.text)
    const earlier = { template: { one: '{0} row', other: '{0} rows' }, values: [2], count: 2 }
    expect(partsOf(restored('2 rows', earlier as never))).toEqual(partsOf(plural(2, say`${2} row`, say`${2} rows`)))
    expect(restored('x', { template: 'Only {0}', values: ['b'] } as never)).toMatchObject({
      id: 'Only {0}',
      values: ['b'],
    })
    // Its text was no syntax then.
    const quoting = { template: "Can't open '{0}' {now}", values: ['a'] } as never
    expect(withTexts(restored('x', quoting), (text) => text.toUpperCase()).text).toBe("Can't open 'A' {now}")
    expect(partsOf(restored('Old words', null))).toEqual(partsOf(foreign('Old words')))
    expect(written('told', null)).toEqual({ told: null, told_parts: null })
  })

  it('with other texts keeps what is fixed, its numbers and its form', () => {
    const text = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 3 }), (a, b, count) => {
        const of = (x: string, y: string) =>
          say`${x} has ${plural(count, say`${count} row of ${[x, y]}`, say`${count} rows of ${[x, y]}`)}.`
        expect(withTexts(of(a, b), (value) => `<${value}>`)).toEqual(of(`<${a}>`, `<${b}>`))
      }),
    )
  })

  it('takes a list as its items between commas', () => {
    expect(say`${[term('Live'), 'blog', 2]} are left.`.text).toBe('Live, blog, 2 are left.')
    expect(say`Nothing of ${[]}`.text).toBe('Nothing of ')
  })

  it('has the form of English for one and for other numbers, and both for other languages', () => {
    const rows = (count: number) => plural(count, say`${count} row of ${'x'}`, say`${count} rows of ${'x'}`)
    expect([0, 1, 2].map((count) => rows(count).text)).toEqual(['0 rows of x', '1 row of x', '2 rows of x'])
    expect(rows(1)).toMatchObject({ id: '{count, plural, one {{0} row of {1}} other {{0} rows of {1}}}', count: 1 })
  })
})

describe('a word of a description', () => {
  it('is its own key', () => {
    expect(term('Status')).toEqual({ text: 'Status', id: 'Status', values: [] })
  })
})

describe('a label that was put together when it was stored', () => {
  it('has the title of its document and versions as values', () => {
    expect(stored('Switch my 8.1 blog to PHP 8.5', 'my 8.1 blog')).toEqual({
      text: 'Switch my 8.1 blog to PHP 8.5',
      id: 'Switch {0} to PHP {1}',
      values: ['my 8.1 blog', '8.5'],
    })
    expect(stored('Start PHP 8.4')).toMatchObject({ id: 'Start PHP {0}', values: ['8.4'] })
    expect(stored('Create $& blog', '$& blog')).toMatchObject({ id: 'Create {0}', values: ['$& blog'] })
    for (const label of ['Pack {0}', "It's '{x", "''", 'a } 8.5 {b, plural}'])
      expect(withTexts(stored(label, 'blog'), (text) => text).text).toBe(label)
    for (const title of ['blog', '', null, undefined])
      expect(stored('Create it', title)).toEqual({ text: 'Create it', id: 'Create it', values: [] })
  })
})

describe('the parts on the wire', () => {
  it('are id and values without the English, all the way down', () => {
    const count = 2
    const sentence = say`${term('Plan')}: ${plural(count, say`${count} site`, say`${count} sites`)}, ${['a', term('Free')]}`
    expect(partsOf(sentence)).toEqual({
      id: '{0}: {1}, {2}',
      values: [
        { id: 'Plan' },
        { id: '{count, plural, one {{0} site} other {{0} sites}}', values: [2], count: 2 },
        ['a', { id: 'Free' }],
      ],
    })
    expect(JSON.stringify(partsOf(sentence))).not.toContain('text')
  })
})
