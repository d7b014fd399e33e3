import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkWordPressValues,
  permalinkPresets,
  permalinkProblem,
  wordpressSettingProblem,
  type WordPressValues,
} from './wordpress-settings.ts'
import { isPhpLimit, memoryLimitsMb } from './php-limits.ts'

describe('permalink structures', () => {
  it('are the presets of WordPress and what people write', () => {
    for (const { structure } of permalinkPresets) expect(permalinkProblem(structure)).toBeNull()
    for (const good of [
      '/%category%/%postname%/',
      '/news/%post_id%',
      '/%postname%.html',
      '/a-b_c/%author%/%postname%/',
    ])
      expect([good, permalinkProblem(good)]).toEqual([good, null])
    for (const bad of [
      'news/%postname%/',
      '/',
      '/news/',
      '/%year%/',
      '/%postname%/%x%/',
      '/%postname/',
      '/%%/%postname%',
      '//%postname%',
      '/wp-admin/%postname%/',
      '/WP-JSON/%postname%',
      '/.well-known/%postname%',
      '/../%postname%',
      '/a?b=%postname%',
      '/%postname%/\n',
      '/%postname%/#x',
      '/ü/%postname%/',
      `/${'a'.repeat(200)}/%postname%/`,
    ])
      expect([bad, permalinkProblem(bad) === null]).toEqual([bad, false])
  })

  it('have nothing but placeholders and plain characters, whatever is sent', () => {
    const piece = fc.constantFrom(
      '/',
      '%',
      'postname',
      '%postname%',
      '%post_id%',
      '.',
      '..',
      ' ',
      '"',
      "'",
      '<',
      '\0',
      'a',
    )
    const any = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => `/${pieces.join('')}`),
    )
    fc.assert(
      fc.property(any, (structure) => {
        if (permalinkProblem(structure) !== null) return
        expect(structure).toMatch(/^(?:|(?:\/|[a-z0-9_-][a-z0-9_.-]*|%[a-z_]+%[a-z0-9_.-]*)+)$/i)
      }),
    )
  })
})

describe('values of settings', () => {
  it('are checked one by one, and only known ones are kept', () => {
    expect(
      checkWordPressValues({ title: 'A', search_engines: 0, siteurl: 'http://evil', __proto__: { tagline: 'x' } }),
    ).toEqual({
      values: { title: 'A', search_engines: 0 },
    })
    const wrong: readonly [keyof WordPressValues, unknown][] = [
      ['title', 'a\nb'],
      ['title', 1],
      ['tagline', 'x'.repeat(201)],
      ['search_engines', '1'],
      ['timezone', '../etc'],
      ['timezone', ''],
      ['language', 'de_DE; rm'],
      ['admin_email', 'nobody'],
      ['admin_email', 'a@b'],
      ['admin_email', 'a@b@c.de'],
      ['start_page', '-1'],
      ['start_page', null],
      ['permalinks', undefined],
    ]
    for (const [name, value] of wrong) expect(checkWordPressValues({ [name]: value })).toMatchObject({ field: name })
    for (const [name, value] of [
      ['timezone', 'UTC+5.5'],
      ['timezone', 'America/Argentina/Buenos_Aires'],
      ['language', 'de_DE_formal'],
      ['language', 'pt_BR'],
      ['admin_email', "o'neil+x@mail.example.com"],
      ['start_page', ''],
      ['title', ''],
    ] as const)
      expect([value, wordpressSettingProblem(name, value)]).toEqual([value, null])
  })

  it('of limits are offered numbers, never texts', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(isPhpLimit(memoryLimitsMb, value)).toBe([64, 128, 256, 384].some((known) => known === value))
      }),
    )
    expect(isPhpLimit(memoryLimitsMb, '64')).toBe(false)
    expect(isPhpLimit(memoryLimitsMb, 64)).toBe(true)
  })
})
