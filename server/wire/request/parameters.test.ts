import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { decodeUtf8, mergeParameters, parseJsonBody, parsePairs } from './parameters.ts'
import { booleanParameter, requiredText, parseStructured } from './parameter-values.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('pairs', () => {
  it('reads back what a browser writes', () => {
    const name = fc
      .string({ minLength: 1 })
      .filter(
        (text) =>
          !text.endsWith('[]') && !['__proto__', 'constructor', 'prototype'].includes(text) && !text.includes('\0'),
      )
    const value = fc.string().filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (pairs) => {
        expect({ ...parsePairs(new URLSearchParams(pairs).toString()) }).toEqual(Object.fromEntries(pairs))
      }),
      { seed: 1 },
    )
  })

  it('throws nothing but 417 for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          parsePairs(text)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }),
      { seed: 1 },
    )
  })

  it('lets the first of equal names win and gathers axios lists', () => {
    expect({ ...parsePairs('a=1&a=2&b[]=x&b[]=y') }).toEqual({ a: '1', b: ['x', 'y'] })
    expect({ ...parsePairs('a=1&a[]=2') }).toEqual({ a: '1' })
  })

  it('refuses prototype names, NUL and too many', () => {
    expect(() => parsePairs('__proto__=1')).toThrow('not allowed')
    expect(() => parsePairs('constructor[]=1')).toThrow('not allowed')
    expect(() => parsePairs('a=%00')).toThrow('cannot be stored')
    expect(() => parsePairs('a=1&'.repeat(1001))).toThrow('1000 parameters')
  })

  it('counts before it reads', () => {
    const read = vi.spyOn(globalThis, 'URLSearchParams')
    try {
      expect(() => parsePairs('a&'.repeat(12_000_000))).toThrow('1000 parameters')
      expect(read).not.toHaveBeenCalled()
      expect(Object.keys(parsePairs(Array.from({ length: 1000 }, (_, at) => `a${at}=1`).join('&')))).toHaveLength(1000)
      expect(read).toHaveBeenCalledOnce()
    } finally {
      read.mockRestore()
    }
  })
})

describe('one set of parameters', () => {
  it('prefers form over query and JSON over both, without the cache breaker', () => {
    expect({ ...mergeParameters({ query: { a: '1', b: '1', _: '9' }, form: { a: '2' } }) }).toEqual({ a: '2', b: '1' })
    expect({ ...mergeParameters({ query: { a: '1' }, form: { b: '2' }, json: { c: 3, _: 1 } }) }).toEqual({ c: 3 })
    expect({ ...mergeParameters({ query: { a: '1' }, json: null }) }).toEqual({ a: '1' })
    expect(Object.getPrototypeOf(mergeParameters({ query: {} }))).toBeNull()
  })

  it('reads bodies', () => {
    expect({ ...parseJsonBody(bytes('[1,2]')) }).toEqual({ data: [1, 2] })
    expect(parseJsonBody(bytes(' \n'))).toBeNull()
    expect({ ...parseJsonBody(bytes('\uFEFF{"a":1}')) }).toEqual({ a: 1 })
    for (const text of ['1', 'true', 'null', '"x"']) expect(() => parseJsonBody(bytes(text))).toThrow('JSON object')
    expect(() => decodeUtf8(new Uint8Array([0xc0, 0x80]))).toThrow('UTF-8')
  })
})

describe('values', () => {
  it('takes structured parameters as text and as they are', () => {
    expect(parseStructured({ f: '[["a","=",1]]' }, 'f')).toEqual([['a', '=', 1]])
    expect(parseStructured({ f: [['a', '=', 1]] }, 'f')).toEqual([['a', '=', 1]])
    expect(parseStructured({ f: 'srv-1' }, 'f')).toBe('srv-1')
    for (const empty of ['', null, undefined]) expect(parseStructured({ f: empty }, 'f')).toBeUndefined()
    expect(() => parseStructured({ f: '{"a":' }, 'f')).toThrow('not valid JSON')
    expect(() => parseStructured({ f: '{"__proto__":1}' }, 'f')).toThrow('not allowed')
  })

  it('takes yes and no in every form, and refuses others', () => {
    for (const yes of [true, 1, '1', 'true']) expect(booleanParameter({ x: yes }, 'x', false)).toBe(true)
    for (const no of [false, 0, '0', 'false']) expect(booleanParameter({ x: no }, 'x', true)).toBe(false)
    for (const none of [undefined, null, '']) expect(booleanParameter({ x: none }, 'x', true)).toBe(true)
    for (const wrong of [2, 'yes', [], {}])
      expect(() => booleanParameter({ x: wrong }, 'x', true)).toThrow('true or false')
  })

  it('takes no list or object for text', () => {
    expect(requiredText({ x: 5 }, 'x')).toBe('5')
    for (const wrong of [[], {}, true]) expect(() => requiredText({ x: wrong }, 'x')).toThrow('must be text')
    for (const missing of ['', null, undefined]) expect(() => requiredText({ x: missing }, 'x')).toThrow('missing')
  })
})
