import { describe, expect, it } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { data, int, select } from '#shared/fields.ts'
import { checkField, checkForm, doctypeForm, formPayload, startValues } from './form-state.ts'

const wordpressOnly = ['title', 'admin_user', 'admin_email']
const form = doctypeForm(SiteDoctype, ['domain', 'site_type', 'php_version', 'title', 'admin_user', 'admin_email'], {
  checks: { domain: (value) => (value === 'www' ? 'That name is reserved.' : null) },
  hidden: (name, values) => values['site_type'] !== 'wp' && wordpressOnly.includes(name),
})
const values = {
  domain: 'blog',
  site_type: 'wp',
  php_version: '8.4',
  title: 'Blog',
  admin_user: 'ann',
  admin_email: 'ann@example.com',
}

describe('form of a doctype', () => {
  it('starts with the doctype’s defaults, overridden by given values', () => {
    expect(startValues(form)).toMatchObject({ domain: '', site_type: 'wp', php_version: '8.4' })
    expect(startValues(form, { php_version: '8.2' })).toMatchObject({ php_version: '8.2' })
  })

  it('accepts valid values', () => {
    expect(checkForm(form, values)).toEqual({})
  })

  it('requires required fields, in the order of the form', () => {
    expect(checkForm(form, { ...values, domain: '  ', site_type: '' })).toEqual({
      domain: 'Name is required.',
      site_type: 'Type is required.',
    })
  })

  it('validates format, length, options and custom rules', () => {
    expect(checkField(form, 'admin_email', { ...values, admin_email: 'nobody' })).toMatch(/\S/)
    expect(checkField(form, 'title', { ...values, title: 'x'.repeat(201) })).toBe(
      'Title can have at most 200 characters.',
    )
    expect(checkField(form, 'php_version', { ...values, php_version: '5.6' })).toBe('Choose one of the listed values.')
    expect(checkField(form, 'domain', { ...values, domain: 'www' })).toBe('That name is reserved.')
  })

  it('validates the range of numbers', () => {
    const numbers = { fields: { size: int({ min: 8, max: 16 }) }, names: ['size'] }
    expect([
      checkField(numbers, 'size', { size: '7' }),
      checkField(numbers, 'size', { size: '17' }),
      checkField(numbers, 'size', { size: '8.5' }),
    ]).toEqual(['Size must be at least 8.', 'Size must be at most 16.', 'Size must be a whole number.'])
    expect(checkField(numbers, 'size', { size: 'abc' })).toBe('Size must be a number.')
    expect(checkField(doctypeForm(ServerDoctype, ['vm_ebs_size']), 'vm_ebs_size', { vm_ebs_size: '40' })).toBeNull()
  })

  it('neither validates nor sends hidden fields', () => {
    const html = { ...values, site_type: 'html', admin_email: 'broken', title: 'kept in the draft' }
    expect(checkForm(form, html)).toEqual({})
    expect(formPayload(form, html)).toEqual({ domain: 'blog', site_type: 'html', php_version: '8.4' })
  })

  it('sends trimmed text and real numbers, and omits empty fields', () => {
    const mixed = { fields: { name: data(), size: int(), kind: select(['a']) }, names: ['name', 'size', 'kind'] }
    expect(formPayload(mixed, { name: ' x ', size: '5', kind: '' })).toEqual({ name: 'x', size: 5 })
  })
})
