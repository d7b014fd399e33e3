import { describe, expect, it } from 'vitest'
import { expiredCookies, hasOurCookies, sessionCookies, sidOf } from './cookies.ts'

const facts = { user: 'ann@b.c', full_name: 'Ann; "Lee"=\r\nx \ud800', user_image: '', system_user: 'yes' } as const

describe('cookies', () => {
  it('finds the sid and nothing that only looks like it', () => {
    expect(sidOf('a=1; sid=abc; b=2')).toBe('abc')
    expect(sidOf('sid=abc')).toBe('abc')
    for (const none of [undefined, '', 'xsid=abc', 'a=sid=abc', 'sid=', 'sid=Guest; user_id=Guest'])
      expect(sidOf(none)).toBeNull()
    expect(hasOurCookies('theme=dark; user_id=x')).toBe(true)
    expect(hasOurCookies('my_user_id=x; csid=1')).toBe(false)
  })

  it('lets no value break out of its line', () => {
    for (const line of sessionCookies('s', facts, true)) {
      expect(line).toMatch(/^\w+=[\w%.!~*'()-]*; Path=\/; SameSite=Lax; Secure(?:; Max-Age=\d+; HttpOnly)?$/)
    }
    expect(sessionCookies('s', facts, false).join()).not.toContain('Secure')
  })

  it('expires with the same attributes it set', () => {
    const names = (lines: string[]) => lines.map((line) => line.split('=')[0])
    expect(names(expiredCookies(true))).toEqual(names(sessionCookies('s', facts, true)))
    for (const line of expiredCookies(true))
      expect(line).toMatch(/^\w+=; Path=\/; SameSite=Lax; Secure; Max-Age=0; Expires=/)
  })
})
