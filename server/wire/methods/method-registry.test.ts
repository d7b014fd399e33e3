import { describe, expect, it } from 'vitest'
import { json, secret } from '#shared/fields.ts'
import type { Method } from '#server/contracts/method.ts'
import { createRegistry, readParams } from './method-registry.ts'
import { clientReadMethods } from './client-read.ts'

const method = (name: string, extra: object = {}): Method => ({
  name,
  access: 'self',
  verbs: ['POST'],
  description: '',
  run: () => Promise.resolve(null),
  ...extra,
})

describe('the registry', () => {
  it('stops the start for methods without a rule, with a bad name or verb, or twice', () => {
    expect(() => createRegistry([method('a.b', { access: undefined })])).toThrow('no access rule')
    expect(() => createRegistry([method('a.b', { access: 'everybody' })])).toThrow('no access rule')
    expect(() => createRegistry([method('a.b', { verbs: [] })])).toThrow('verbs')
    expect(() => createRegistry([method('a.b', { verbs: ['TRACE'] })])).toThrow('verbs')
    expect(() => createRegistry([method('a b')])).toThrow('not valid')
    expect(() => createRegistry([method('a.b'), method('a.b')])).toThrow('twice')
  })

  it('finds by full name, and by the last segment where it is the only one', () => {
    const registry = createRegistry([method('a.one'), method('b.two'), method('c.two'), method('two.three')])
    expect(registry.find('a.one')?.name).toBe('a.one')
    expect(registry.find('one')?.name).toBe('a.one')
    expect(registry.find('two')).toBeNull()
    for (const name of ['__proto__', 'constructor', 'toString', '', 'a', 'A.one'])
      expect(registry.find(name)).toBeNull()
  })

  it('checks JSON parameters as deeply as bodies', () => {
    const typed = method('x', { params: { args: json(), pwd: secret() } })
    expect(readParams(typed, { args: '{"a":[1]}', pwd: 'p', more: 1 })).toEqual({ args: { a: [1] }, pwd: 'p' })
    expect(() => readParams(typed, { args: '{"__proto__":{"a":1}}' })).toThrow('not allowed')
    expect(() => readParams(typed, { args: '{' })).toThrow('valid JSON')
    expect(readParams(typed, { args: '', pwd: '' })).toEqual({})
  })

  it("knows the wire's own methods", () => {
    const registry = createRegistry(clientReadMethods)
    expect(registry.find('frappe.client.get_count')).not.toBeNull()
    expect(registry.find('frappe.client.get_password')).toBeNull()
  })
})
