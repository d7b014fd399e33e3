import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import {
  acceptCookies,
  deviceCookie,
  deviceOf,
  expiredCookies,
  hasOurCookies,
  hasSid,
  sessionCookies,
  setCookies,
  sidOf,
  type Cookie,
} from './cookies.ts'

const user = { user: 'ann@b.c', full_name: 'Ann; "Lee"=\r\nx \ud800', user_image: '', system_user: 'yes' } as const

/** The `Set-Cookie` lines of a response: name, value, and attributes in alphabetical order. */
async function linesOf(cookies: readonly Cookie[], secure: boolean) {
  const app = fastify()
  acceptCookies(app, secure)
  app.get('/', (_request, reply) => {
    setCookies(reply, cookies)
    return reply.send('')
  })
  const { headers } = await app.inject('/')
  await app.close()
  const lines = [headers['set-cookie'] ?? []].flat()
  return lines.map((line) => {
    const [pair = '', ...attributes] = line.split('; ')
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: attributes.toSorted() }
  })
}

describe('cookies', () => {
  it('finds the sid and nothing that only looks like it', () => {
    expect(sidOf('a=1; sid=abc; b=2')).toBe('abc')
    expect(sidOf('sid=abc')).toBe('abc')
    for (const none of [undefined, '', 'xsid=abc', 'a=sid=abc', 'sid=', 'sid=Guest; user_id=Guest'])
      expect(sidOf(none)).toBeNull()
    expect(hasSid('sid=Guest; user_id=Guest')).toBe(true)
    expect(hasSid('a=sid=abc')).toBe(false)
    expect(hasOurCookies('theme=dark; user_id=x')).toBe(true)
    expect(hasOurCookies('my_user_id=x; csid=1')).toBe(false)
    for (const inherited of ['toString=1', '__proto__=1']) expect(hasOurCookies(inherited)).toBe(false)
  })

  it('takes the first of two cookies with one name', () => {
    expect(sidOf('sid=first; sid=second')).toBe('first')
  })

  it('takes a device cookie only in the form we give it', () => {
    expect(deviceOf('sid=1; easydash_device=ab-C_.9')).toBe('ab-C_.9')
    for (const value of ['', 'a b', 'a%00b', 'a%', 'x'.repeat(401)])
      expect(deviceOf(`easydash_device=${value}`)).toBeNull()
  })

  it('encodes every value, so that none breaks out of its line', async () => {
    const lines = await linesOf(sessionCookies('s', user, 60), true)
    expect(lines).toEqual([
      {
        name: 'sid',
        value: 's',
        attributes: ['HttpOnly', 'Max-Age=60', 'Path=/', 'SameSite=Lax', 'Secure'],
      },
      { name: 'user_id', value: 'ann%40b.c', attributes: ['Path=/', 'SameSite=Lax', 'Secure'] },
      {
        name: 'full_name',
        value: 'Ann%3B%20%22Lee%22%3D%0D%0Ax%20%EF%BF%BD',
        attributes: ['Path=/', 'SameSite=Lax', 'Secure'],
      },
      { name: 'user_image', value: '', attributes: ['Path=/', 'SameSite=Lax', 'Secure'] },
      { name: 'system_user', value: 'yes', attributes: ['Path=/', 'SameSite=Lax', 'Secure'] },
    ])
    for (const { attributes } of await linesOf(sessionCookies('s', user), false))
      expect(attributes).not.toContain('Secure')
    expect(await linesOf([deviceCookie('d')], true)).toEqual([
      {
        name: 'easydash_device',
        value: 'd',
        attributes: ['HttpOnly', 'Max-Age=15552000', 'Path=/', 'SameSite=Lax', 'Secure'],
      },
    ])
  })

  it('expires with the same attributes it set', async () => {
    const set = await linesOf(sessionCookies('s', user), true)
    const expired = await linesOf(expiredCookies(), true)
    const isPersistent = (attribute: string) => !/^(?:Max-Age|Expires)=/.test(attribute)
    expect(expired.map(({ name, attributes }) => [name, attributes.filter(isPersistent)])).toEqual(
      set.map(({ name, attributes }) => [name, attributes.filter(isPersistent)]),
    )
    for (const { value, attributes } of expired) {
      expect(value).toBe('')
      expect(attributes).toContain('Max-Age=0')
      expect(attributes).toContain('Expires=Thu, 01 Jan 1970 00:00:00 GMT')
    }
  })
})
