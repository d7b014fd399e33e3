import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formattedValue } from './formatted-value.ts'

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** As PHP's serialize() does. */
function serialize(value: unknown): string {
  if (value === null || value === undefined) return 'N;'
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  if (typeof value === 'number') return Number.isInteger(value) ? `i:${value};` : `d:${value};`
  if (typeof value === 'string') return `s:${bytes(value)}:"${value}";`
  const entries = Object.entries(value)
  const key = (name: string) => (Array.isArray(value) ? `i:${name};` : serialize(name))
  return `a:${entries.length}:{${entries.map(([name, one]) => key(name) + serialize(one)).join('')}}`
}

test('arrays, objects and texts become an outline', () => {
  const text = 'a:2:{s:4:"left";a:1:{i:0;s:3:"ä\u0031";}s:1:"o";O:3:"Foo":2:{s:6:"\0*\0own";b:1;s:1:"n";N;}}'
  expect(formattedValue(text)).toEqual({
    format: 'serialized',
    outline: [
      'array (2)',
      '  "left": array (1)',
      '    0: "ä1"',
      '  "o": Foo (2)',
      '    "own": true',
      '    "n": null',
    ].join('\n'),
  })
  expect(formattedValue('{"a":[1,2]}')).toMatchObject({ format: 'json', outline: expect.stringContaining('"a": [') })
})

test.each([
  '',
  'plain text',
  'a:1:{',
  's:5:"abc";',
  'a:1:{i:0;i:1;}x',
  'i:1;i:2;',
  'a:99999999:{}',
  '[1,',
  'N',
  's:3:abc;',
])('%j has no structure', (text) => expect(formattedValue(text)).toBeNull())

test('whatever PHP serialized can be read, and nothing else throws', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = serialize(value)
      const found = formattedValue(text)
      expect(found?.format).toBe('serialized')
      // Cut anywhere, it is damaged.
      expect(formattedValue(text.slice(0, -1))?.format).not.toBe('serialized')
    }),
  )
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void formattedValue(text)))
  fc.assert(fc.property(fc.stringMatching(/^[aOsiNbd:;{}"0-9]{0,60}$/), (text) => void formattedValue(text)))
})

test('deep and long values are not read without end', () => {
  const deep = 'a:1:{i:0;'.repeat(10_000) + 'N;' + '}'.repeat(10_000)
  expect(formattedValue(deep)).toBeNull()
  expect(formattedValue(serialize(Array.from({ length: 20_000 }, (_, index) => index)))).toBeNull()
  expect(formattedValue('['.repeat(100_000))).toBeNull()
})
