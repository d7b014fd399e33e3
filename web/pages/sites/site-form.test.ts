import { describe, expect, it } from 'vitest'
import { checkForm, formPayload } from '#web/documents/form/form-state.ts'
import { adminUserFrom, siteAddress, siteForm, defaultPhpVersion, titleFrom, withName } from './site-form.ts'

const values = {
  server: 'a1b2c3d4e5',
  site_type: 'wp',
  php_version: '8.4',
  domain: 'blog',
  title: 'Blog',
  admin_user: 'ann',
  admin_email: 'ann@example.com',
}

describe('form of a new site', () => {
  it('requires all WordPress fields but the title, which comes from the name', () => {
    expect(checkForm(siteForm, values)).toEqual({})
    expect(Object.keys(checkForm(siteForm, { ...values, title: '', admin_user: '', admin_email: '' }))).toEqual([
      'admin_user',
      'admin_email',
    ])
  })

  it('requires no account for PHP sites, and no PHP version for HTML sites', () => {
    expect(formPayload(siteForm, { ...values, site_type: 'php' })).toEqual({
      server: values.server,
      site_type: 'php',
      php_version: '8.4',
      domain: 'blog',
      title: 'Blog',
    })
    expect(formPayload(siteForm, { ...values, site_type: 'html' })).toEqual({
      server: values.server,
      site_type: 'html',
      domain: 'blog',
      title: 'Blog',
    })
  })

  it.each([
    '',
    'My Blog',
    '../x',
    'www',
    'xn--bcher-kva',
    '*.blog',
    '127.0.0.1',
    'blog.',
    'b"l',
    'bl\u00f6g',
    'x'.repeat(300),
  ])('rejects the name %j', (domain) => {
    expect(checkForm(siteForm, { ...values, domain })).toHaveProperty('domain')
  })
})

describe('defaults', () => {
  it('the title follows the name until the user edits it', () => {
    expect(withName({ domain: '', title: '' }, 'My-blog')).toEqual({ domain: 'my-blog', title: 'My blog' })
    const typed = (text: string) =>
      [...text].reduce((values, letter) => withName(values, values.domain + letter), { domain: '', title: '' })
    expect(typed('Bäckerei Nord')).toEqual({ domain: 'backerei-nord', title: 'Bäckerei Nord' })
    expect(withName(typed('Bäckerei Nord'), 'backerei-nor')).toEqual({ domain: 'backerei-nor', title: 'Bäckerei Nor' })
    expect(withName({ domain: '', title: '' }, '  Żółw & Söhne ')).toEqual({
      domain: 'zolw-and-sohne-',
      title: 'Żółw & Söhne ',
    })
    expect(withName({ domain: 'my-blo', title: 'My blo' }, 'my-blog')).toEqual({ domain: 'my-blog', title: 'My blog' })
    expect(withName({ domain: 'my-blog', title: 'Ann writes' }, 'other')).toEqual({
      domain: 'other',
      title: 'Ann writes',
    })
    expect(withName({ domain: 'a--b', title: 'A b' }, 'other')).toEqual({ domain: 'other', title: 'Other' })
    expect(titleFrom('a-b-c')).toBe('A b c')
  })

  it('the admin’s username is derived from an email address', () => {
    expect([adminUserFrom('Ann.Lee+x@example.com'), adminUserFrom('42@example.com'), adminUserFrom('')]).toEqual([
      'annleex',
      'admin',
      'admin',
    ])
  })

  it('shows the site’s future address', () => {
    expect(siteAddress('blog', null, { port: '8080' })).toBe('http://blog.localhost:8080')
    expect(siteAddress('', null, { port: '' })).toBe('http://name.localhost')
    expect(siteAddress('blog', 'https://{slug}.sites.example.net', { port: '8080' })).toBe(
      'https://blog.sites.example.net',
    )
  })

  it('selects the default PHP version if the engine supports it', () => {
    expect([
      defaultPhpVersion(['8.2', '8.4', '8.5']),
      defaultPhpVersion(['8.2', '8.3']),
      defaultPhpVersion([]),
    ]).toEqual(['8.4', '8.3', '8.4'])
  })
})
