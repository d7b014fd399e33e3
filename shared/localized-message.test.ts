import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  untranslated,
  toDescriptor,
  plural,
  deserializeMessage,
  msg,
  jobLabelMessage,
  labelMessage,
  withTexts,
  serializeMessage,
  type LocalizedMessage,
} from './localized-message.ts'

/** English text of a sentence's parts, filled in without `msg`. */
function filled({ id, values, count }: LocalizedMessage): string {
  const [, one = id, other = id] = /^\{count, plural, one \{(.*)\} other \{(.*)\}\}$/s.exec(id) ?? []
  return (count === 1 ? one : other)
    .split(/\{(\d+)\}/)
    .map((part, at) => (at % 2 === 0 ? part : valueText(values[Number(part)])))
    .join('')
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'object' ? filled(value as LocalizedMessage) : String(value)
}

describe('a sentence', () => {
  it('separates the fixed text from the values', () => {
    expect(msg`Server ${'web-1'} has ${3} sites.`).toEqual({
      text: 'Server web-1 has 3 sites.',
      id: 'Server {0} has {1} sites.',
      values: ['web-1', 3],
    })
    expect(msg`Nothing was sent.`).toEqual({ text: 'Nothing was sent.', id: 'Nothing was sent.', values: [] })
  })

  it('is the same as its parts, with any values', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('{0}', '{1}', '$&', '$1', '<b>', ''),
    )
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.array(text, { maxLength: 3 }),
      text.map((inner) => msg`(${inner})`),
      text.map((label) => labelMessage(label.replaceAll(/[{}]/g, ''))),
    )
    fc.assert(
      fc.property(value, value, fc.integer({ min: 0, max: 3 }), (a, b, count) => {
        for (const localized of [
          msg`${a} and ${b}`,
          msg`Only ${b}.`,
          plural(count, msg`${a}: ${count} row`, msg`${a}: ${count} rows`),
        ])
          expect(localized.text).toBe(filled(localized))
      }),
    )
  })

  it('is the same after it was stored, also inside another one', () => {
    const inner = plural(2, msg`${2} row of ${'x'}`, msg`${2} rows of ${'x'}`)
    const whole = msg`${jobLabelMessage('Pack blog', 'blog')}: ${inner} ${['a', untranslated('b')]}`
    const { problem, problem_i18n: parts } = serializeMessage('problem', whole)
    const again = deserializeMessage(problem ?? '', JSON.parse(JSON.stringify(parts)) as typeof parts)
    expect(again.text).toBe(whole.text)
    expect(toDescriptor(again)).toEqual(toDescriptor(whole))
    expect(toDescriptor(msg`First ${again}`)).toEqual(toDescriptor(msg`First ${whole}`))
    expect(msg`First ${again}`.text).toBe(msg`First ${whole}`.text)
    expect(toDescriptor(deserializeMessage('Words alone', null))).toEqual(toDescriptor(untranslated('Words alone')))
    expect(serializeMessage('problem', null)).toEqual({ problem: null, problem_i18n: null })
  })

  it('with other texts keeps what is fixed, its numbers and its form', () => {
    const text = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 3 }), (a, b, count) => {
        const of = (x: string, y: string) =>
          msg`${x} has ${plural(count, msg`${count} row of ${[x, y]}`, msg`${count} rows of ${[x, y]}`)}.`
        expect(withTexts(of(a, b), (value) => `<${value}>`)).toEqual(of(`<${a}>`, `<${b}>`))
      }),
    )
  })

  it('takes a list as its items between commas', () => {
    expect(msg`${[labelMessage('Live'), 'blog', 2]} are left.`.text).toBe('Live, blog, 2 are left.')
    expect(msg`Nothing of ${[]}`.text).toBe('Nothing of ')
  })

  it('has the form of English for one and for other numbers, and both for other languages', () => {
    const rows = (count: number) => plural(count, msg`${count} row of ${'x'}`, msg`${count} rows of ${'x'}`)
    expect([0, 1, 2].map((count) => rows(count).text)).toEqual(['0 rows of x', '1 row of x', '2 rows of x'])
    expect(rows(1)).toMatchObject({ id: '{count, plural, one {{0} row of {1}} other {{0} rows of {1}}}', count: 1 })
  })
})

describe('a word of a description', () => {
  it('is its own key', () => {
    expect(labelMessage('Status')).toEqual({ text: 'Status', id: 'Status', values: [] })
  })
})

describe('a label that was put together when it was stored', () => {
  it('has the title of its document and versions as values', () => {
    expect(jobLabelMessage('Switch my 8.1 blog to PHP 8.5', 'my 8.1 blog')).toEqual({
      text: 'Switch my 8.1 blog to PHP 8.5',
      id: 'Switch {0} to PHP {1}',
      values: ['my 8.1 blog', '8.5'],
    })
    expect(jobLabelMessage('Start PHP 8.4')).toMatchObject({ id: 'Start PHP {0}', values: ['8.4'] })
    expect(jobLabelMessage('Create $& blog', '$& blog')).toMatchObject({ id: 'Create {0}', values: ['$& blog'] })
    for (const label of ['Pack {0}', "It's '{x", "''", 'a } 8.5 {b, plural}'])
      expect(withTexts(jobLabelMessage(label, 'blog'), (text) => text).text).toBe(label)
    for (const title of ['blog', '', null, undefined])
      expect(jobLabelMessage('Create it', title)).toEqual({ text: 'Create it', id: 'Create it', values: [] })
  })
})

describe('the parts on the wire', () => {
  it('are id and values without the English, all the way down', () => {
    const count = 2
    const localized = msg`${labelMessage('Plan')}: ${plural(count, msg`${count} site`, msg`${count} sites`)}, ${['a', labelMessage('Free')]}`
    expect(toDescriptor(localized)).toEqual({
      id: '{0}: {1}, {2}',
      values: [
        { id: 'Plan' },
        { id: '{count, plural, one {{0} site} other {{0} sites}}', values: [2], count: 2 },
        ['a', { id: 'Free' }],
      ],
    })
    expect(JSON.stringify(toDescriptor(localized))).not.toContain('text')
  })
})
