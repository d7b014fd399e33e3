import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { checkJson, maxDepth, maxValues } from '#server/platform/json-values.ts'
import { parseJson } from './json.ts'

const errorCode = (text: string): unknown => {
  try {
    parseJson(text)
    return null
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
}
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

describe('parseJson', () => {
  it('gives every harmless value as it is', () => {
    const harmless = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => !/__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)))
    fc.assert(
      fc.property(harmless, (value) => {
        expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed: 1 },
    )
  })

  it('throws nothing but 417 for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([null, 'invalid']).toContain(errorCode(text))
      }),
      { seed: 1, numRuns: 1000 },
    )
  })

  it('refuses keys that reach into prototypes, at any depth', () => {
    for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
      expect(errorCode(`{"${key}":1}`)).toBe('invalid')
      expect(errorCode(`[{"a":[{"${key}":{}}]}]`)).toBe('invalid')
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('refuses what cannot be stored, in values and keys', () => {
    for (const text of ['"a\\u0000"', '{"\\u0000":1}', '["\\ud800"]', '{"\\udc00":1}', '[1e999]'])
      expect(errorCode(text)).toBe('invalid')
    expect(errorCode('"\\ud83d\\ude00"')).toBeNull()
  })

  it('has limits for depth and number, and survives very deep input', () => {
    expect(errorCode(nested(maxDepth))).toBeNull()
    expect(errorCode(nested(maxDepth + 1))).toBe('invalid')
    expect(errorCode(`[${'0,'.repeat(maxValues)}0]`)).toBe('invalid')
    expect(errorCode(JSON.stringify({ text: '[,{"\\'.repeat(maxValues) }))).toBeNull()
    expect(() => checkJson(Array.from({ length: maxValues - 1 }, () => 0))).not.toThrow()
  })

  it('refuses far too many values without reading them: that would take seconds', () => {
    const keys = Array.from({ length: 3 * maxValues }, (_, index) => `"k${index}":1`).join(',')
    const parse = vi.spyOn(JSON, 'parse')
    try {
      for (const text of [`{${keys}}`, `[${'[],'.repeat(2 * maxValues)}0]`, nested(1_000_000)])
        expect(errorCode(text)).toBe('invalid')
      expect(parse).not.toHaveBeenCalled()
    } finally {
      parse.mockRestore()
    }
  })

  it('counts no commas of texts, and all outside of them, wherever quotes are escaped', () => {
    const parse = vi.spyOn(JSON, 'parse')
    const pieces = fc.array(fc.constantFrom('"', '\\', ',', '[', 'é', 'a'.repeat(255), 'b'.repeat(300)), {
      maxLength: 30,
    })
    try {
      fc.assert(
        fc.property(pieces, pieces, (one, two) => {
          const texts = [one.join(''), `${','.repeat(3 * maxValues)}${two.join('')}`, '\\']
          expect(errorCode(JSON.stringify(texts))).toBeNull()
          parse.mockClear()
          const many = '0,'.repeat(2 * maxValues)
          expect(errorCode(`[${texts.map((text) => JSON.stringify(text)).join(',')},${many}0]`)).toBe('invalid')
          expect(parse).not.toHaveBeenCalled()
        }),
        { seed: 1, numRuns: 40 },
      )
    } finally {
      parse.mockRestore()
    }
  })
})
