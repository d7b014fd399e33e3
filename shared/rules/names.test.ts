import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkSiteName, siteNameFromTitle, siteNameOf } from './site-name.ts'
import { checkOrganizationSlug, reservedHostNames, slugFromTitle } from './slugs.ts'

describe('organization slugs', () => {
  test.each([
    ['Acme', 'acme'],
    ['  Acme,  Inc.  ', 'acme-inc'],
    ['Żółw & Söhne GmbH', 'zolw-and-sohne-gmbh'],
    ['Straße №1', 'strasse-no1'],
    ["Ann's Sites", 'anns-sites'],
    ['AB', 'ab-org'],
    ['Create', 'create-org'],
    ['Widget™', 'widgettm'],
    ['株式会社', ''],
    ['', ''],
    ['x'.repeat(80), 'x'.repeat(32)],
  ])('%j gives %j', (title, slug) => expect(slugFromTitle(title)).toBe(slug))

  test('a suggestion can always be used', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (title) => {
        const slug = slugFromTitle(title)
        if (slug !== '') expect(checkOrganizationSlug(slug)).toBeNull()
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['create', 'www', 'api', 'admin', 'autodiscover', 'settings'])('%s is reserved', (slug) => {
    expect(checkOrganizationSlug(slug)?.text).toContain('reserved')
  })
})

describe('names of local sites', () => {
  test.each(['blog', 'my-shop', '2024', 'a1b', 'x'.repeat(32)])('%j is fine', (name) =>
    expect(checkSiteName(name)).toBeNull(),
  )

  test.each([
    '',
    '   ',
    'x'.repeat(300),
    'my blog',
    '../blog',
    '..',
    "bl'og",
    'bl"og',
    'bl`og',
    'blög',
    'bl\u043Eg',
    '\uFF42log',
    'xn--blg-5na',
    '*',
    '*.blog',
    '127.0.0.1',
    '2130706433.1',
    'blog.',
    'blog.localhost',
    'Blog',
    'BLOG',
    '-blog',
    'blog-',
    'bl_og',
    'bl/og',
    'ab',
    'blog\n',
    'blog\0',
    '%2e%2e',
    ...reservedHostNames,
  ])('%j is refused with a sentence', (name) => expect(checkSiteName(name)?.text).toMatch(/^[A-Z"].*\.$/))

  test('accepted names are one host label of the letters they show', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        if (checkSiteName(name) === null)
          expect(new URL(`http://${name}.localhost/`).hostname).toBe(`${name}.localhost`)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,36}$/), (name) => {
        if (checkSiteName(name) === null)
          expect(new URL(`http://${name}.localhost/`).hostname).toBe(`${name}.localhost`)
      }),
    )
  })

  test('the name is read from a whole host name below the sites domain only', () => {
    expect(siteNameOf('blog.localhost', 'localhost')).toBe('blog')
    expect(siteNameOf('blog', 'localhost')).toBe('blog')
    expect(siteNameOf('blog.example.com', 'localhost')).toBe('blog.example.com')
  })

  test('suggestions from titles can be used', () => {
    expect(siteNameFromTitle('My Café — Menu!')).toBe('my-cafe-menu')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (title) => {
        const name = siteNameFromTitle(title)
        if (name !== '') expect(checkSiteName(name)).toBeNull()
      }),
    )
  })
})
