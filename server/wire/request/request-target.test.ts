import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { isApiPath, parseApiPath, splitTarget } from './request-target.ts'

describe('addresses', () => {
  it('reads the forms of the contract', () => {
    expect(parseApiPath('/api/method/frappe.client.get')).toEqual({ kind: 'method', method: 'frappe.client.get' })
    expect(parseApiPath('/api/v1/method/ping/')).toEqual({ kind: 'method', method: 'ping' })
    expect(parseApiPath('/api/resource/Organization%20Member')).toEqual({
      kind: 'list',
      doctype: 'Organization Member',
    })
    expect(parseApiPath('/api/resource/User/ann@b.c/')).toEqual({ kind: 'document', doctype: 'User', name: 'ann@b.c' })
    expect(parseApiPath('/api/v1/resource/File/a/b%2Fc')).toEqual({ kind: 'document', doctype: 'File', name: 'a/b/c' })
    for (const path of [
      '/api',
      '/api/',
      '/api/method',
      '/api/method/',
      '/api/v1',
      '/api/v2/resource/User',
      '/api/x/y',
      '/api//x',
    ]) {
      expect(parseApiPath(path)).toEqual({ kind: 'unknown' })
    }
    expect([isApiPath('/api'), isApiPath('/api/x'), isApiPath('/apix'), isApiPath('/web/api')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('gives back any name that was encoded into it', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0') && !text.endsWith('/'))
    fc.assert(
      fc.property(name, (text) => {
        expect(parseApiPath(`/api/resource/User/${encodeURIComponent(text)}`)).toEqual({
          kind: 'document',
          doctype: 'User',
          name: text,
        })
      }),
      { seed: 1 },
    )
  })

  it('throws nothing but 417 for any path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { path } = splitTarget(`/api/resource/${text}`)
        try {
          parseApiPath(path)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }),
      { seed: 1 },
    )
  })

  it('takes anything that is no path for the root', () => {
    expect(splitTarget('http://evil.example/web?a=1')).toEqual({ path: '/', query: 'a=1' })
    expect(splitTarget('*')).toEqual({ path: '/', query: '' })
    expect(splitTarget('/a?b=c?d')).toEqual({ path: '/a', query: 'b=c?d' })
  })
})
