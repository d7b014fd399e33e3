import { describe, expect, it } from 'vitest'
import { isApiPath, routedTarget, splitTarget } from './request-target.ts'

describe('targets', () => {
  it('belong to the API below /api', () => {
    expect([isApiPath('/api'), isApiPath('/api/x'), isApiPath('/apix'), isApiPath('/web/api')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('count as the root if they are not a path', () => {
    expect(splitTarget('http://evil.example/web?a=1')).toEqual({ path: '/', query: 'a=1' })
    expect(splitTarget('*')).toEqual({ path: '/', query: '' })
    expect(splitTarget('/a?b=c?d')).toEqual({ path: '/a', query: 'b=c?d' })
    expect(routedTarget('http://evil.example/web?a=1')).toBe('/?a=1')
    expect(routedTarget('*')).toBe('/')
  })

  it('hold no fragment', () => {
    expect(routedTarget('/a#b?c=#d')).toBe('/a%23b?c=#d')
  })
})
