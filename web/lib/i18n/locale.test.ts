import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { msg } from '#shared/localized-message.ts'
import { chooseLocale, usableZone } from './locale.ts'
import { pseudoText } from './pseudo-language.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
  localStorage.clear()
})

/** Loads the modules as on a page with these preferences. */
async function loaded(own: { language?: string; time_zone?: string } | null, kept?: string) {
  vi.resetModules()
  if (kept) localStorage.setItem('language', kept)
  vi.stubGlobal('easydash', own ? { session: { own } } : {})
  return {
    locale: await import('./locale.ts'),
    day: await import('./format-day.ts'),
    format: await import('./format.ts'),
    catalog: await import('./catalog.ts'),
    errors: await import('../api/api-error.ts'),
  }
}

describe('language', () => {
  test.each([
    ['en', 'en-GB', 'en-GB'],
    ['en', 'de-AT', 'en'],
    ['de', 'de-AT', 'de-AT'],
    ['en', 'en-US@posix', 'en-US'],
    ['en', '_', 'en'],
    ['nonsense_', 'en', 'en'],
  ])('texts in %s, browser %s: numbers as %s', (wanted, browser, expected) =>
    expect(chooseLocale(wanted, browser)).toBe(expected),
  )

  test('an account without a preference reads English; only the browser selects the pseudo-language', async () => {
    expect((await loaded({})).locale.textLanguage).toBe('en')
    expect((await loaded(null, 'en-XA')).locale.textLanguage).toBe('en-XA')
    expect((await loaded({ language: 'en' }, 'en-XA')).locale.textLanguage).toBe('en-XA')
  })
})

describe('time zone', () => {
  test('times are in the account’s zone; dates are the same everywhere', async () => {
    const { day, format } = await loaded({ time_zone: 'Pacific/Kiritimati' })
    expect(day.formatDay('2026-01-31 12:00:00')).toBe('Feb 1, 2026')
    expect(format.formatClock('2026-01-31 12:00:00')).toMatch(/^2:00/)
    expect(day.formatDay('2026-01-31')).toBe('Jan 31, 2026')
  })

  test.each(['', null, undefined, 'Mars/Base'])('%s is not a valid zone: the browser’s own is used', (zone) =>
    expect(usableZone(zone)).toBeUndefined(),
  )
})

describe('the pseudo-language', () => {
  test('contains no ASCII letters but keeps the placeholders', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(pseudoText(text.replaceAll(/[{}]/g, ''))).not.toMatch(/[A-Za-z]/)
      }),
    )
    expect(pseudoText('{count, plural, one {{0} site} other {# sites of {0}}}')).toMatch(
      /^\[\{count, plural, one \{\{0\} šíŧé\} other \{# šíŧéš óƒ \{0\}\}\}·+\]$/,
    )
    expect(pseudoText('{a, plural, =0 {No one} one {#} other {#}} is {b, plural, one {me} other {us}} too.')).toMatch(
      /^\[\{a, plural, =0 \{Ñó óñé\} one \{#\} other \{#\}\} íš \{b, plural, one \{ɱé\} other \{úš\}\} ŧóó\.·+\]$/,
    )
  })

  test('covers every text of a catalog and of a doctype', async () => {
    const { catalog } = await loaded(null, 'en-XA')
    const t = catalog.createCatalog({ hello: 'Hello {name}', rows: '{count, plural, one {# row} other {# rows}}' })
    expect(t('hello', { name: 'Ann' })).toMatch(/^\[Ħéļļó Ann·+\]$/)
    expect(t('rows', { count: 2 })).toMatch(/^\[2 řóŵš·+\]$/)
    expect(catalog.translateText('Status')).not.toMatch(/[A-Za-z]/)
    expect(catalog.messageText(msg`${'blog'} is taken.`)).toMatch(/^\[blog íš ŧáķéñ\.·+\]$/)
    expect([...(globalThis as { usedTexts?: Set<string> }).usedTexts!]).toContain('{0} is taken.')
  })

  test('covers server errors, with their next step', async () => {
    const { errors } = await loaded(null, 'en-XA')
    const body = {
      exception: 'frappe.exceptions.ValidationError: blog is <b>taken',
      _server_messages: JSON.stringify([JSON.stringify({ message: 'blog is &lt;b>taken' })]),
      message_i18n: { id: '{0} is {1}', values: ['blog', '<b>taken'] },
      next_action: 'Choose another.',
      next_action_i18n: { id: 'Choose another.' },
    }
    const failure = errors.errorFromBody(body, 417)
    expect(failure.message).toMatch(/^\[blog íš <b>taken·+\]$/)
    expect(failure.nextAction).toMatch(/^\[Çħóóšé áñóŧħéř\.·+\]$/)
    const denial = { exception: 'frappe.exceptions.PermissionError: No', message_i18n: { id: 'No' } }
    expect(errors.errorFromBody(denial, 403).message).toBe('[Ñó·]')
    const foreign = { _server_messages: JSON.stringify([JSON.stringify({ message: 'No parts &amp; all' })]) }
    expect(errors.errorFromBody(foreign, 417)).toMatchObject({ message: 'No parts & all', nextAction: null })
    localStorage.clear()
    const { errors: english } = await loaded({ language: 'en' })
    expect(english.errorFromBody(body, 417)).toMatchObject({
      message: 'blog is <b>taken',
      nextAction: 'Choose another.',
    })
  })
})
